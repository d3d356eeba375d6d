import type { Guide } from './guides/guide.ts'

/**
 * An overview for language models, in the format of llmstxt.org.
 * @param root the root of the service, with a slash at its end
 */
export function formatLlmsText(root: string, guides: readonly Guide[]): string {
  const list = guides.map(({ name, title, summary }) => `- [${title}](${root}docs/guides/${name}.md): ${summary}`)
  return `# Petstore API

> A store's catalogue of animals as an HTTP/JSON API: list animals, add one, get one.

The base address is ${root}v1. Every call needs an API key, which the operator of the service issues:
\`Authorization: Bearer <API_KEY>\`. Ids of animals and categories are 64-bit integers; do not round them.

## Guides

${list.join('\n')}

## Reference

- [OpenAPI document](${root}openapi.json): every operation, parameter, schema, example and error code
- [Reference](${root}docs): the same as a page

The clients for TypeScript (\`@petstore/client\`) and Python (\`petstore-client\`) handle waiting, retries and pagination; see
[Quick start](${root}docs/guides/quick-start.md).
`
}
