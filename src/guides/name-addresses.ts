/** Base addresses, with /v1. */
export interface DeploymentUrls {
  readonly production?: string
  readonly staging?: string
}

/** Where the deployments are in the texts. */
const EXAMPLE = /https:\/\/(staging\.)?petstore\.example\//g

/** The text with these addresses in place of the examples, which stay where nothing better is known. */
export function nameAddresses(markdown: string, { production, staging }: DeploymentUrls): string {
  return markdown.replaceAll(EXAMPLE, (example, isStaging) => {
    const url = isStaging ? staging : production
    return url?.replace(/v1$/, '') ?? example
  })
}
