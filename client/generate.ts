import { readFileSync, writeFileSync } from 'node:fs'
import { compile, type JSONSchema } from 'json-schema-to-typescript'

/** Writes src/openapi.ts anew; see `generateTypes`. */

const DOCUMENT = new URL('../openapi.json', import.meta.url)
const TYPES = new URL('src/openapi.ts', import.meta.url)
/** Of the document's schemas those that the client shows. What it takes in is more than the document says: see pets.ts. */
const SHOWN = ['PetStatus', 'Pet']

/** The types of the committed OpenAPI document, as TypeScript: an int64 is a bigint. */
export async function generateTypes(): Promise<string> {
  const { components } = JSON.parse(
    readFileSync(DOCUMENT, 'utf8').replaceAll('#/components/schemas/', '#/definitions/'),
  )
  markInt64(components.schemas)
  const definitions = Object.fromEntries(SHOWN.map(name => [name, components.schemas[name]]))
  const codes: string[] = components.schemas.Error.properties.code['x-extensible-enum']
  definitions.ErrorCode = { type: 'string', description: 'What the service refuses a call for.', enum: codes }
  const root = { type: 'object', definitions } as JSONSchema
  const text = await compile(root, ROOT, {
    additionalProperties: false,
    bannerComment: '// Made from openapi.json by `npm run generate --workspace client`.\n',
    style: { semi: false, singleQuote: true, printWidth: 120, arrowParens: 'avoid' },
    unreachableDefinitions: true,
  })
  return text
    .replace(`export interface ${ROOT} {}\n`, '')
    .replaceAll(
      /\n \*\n \* This interface was referenced by `\w+`'s JSON-Schema\n \* via the `definition` "\w+"\./g,
      '',
    )
    .replaceAll(/\/\*\*\n \* (.*)\n \*\//g, '/** $1 */')
    .replaceAll(/ {2}\/\*\*\n {3}\* (.*)\n {3}\*\//g, '  /** $1 */')
    .replaceAll('\nexport', '\n\nexport')
    .replaceAll('*/\n\nexport', '*/\nexport')
    .replaceAll(/\n{3,}/g, '\n\n')
}

const ROOT = 'Everything'

function markInt64(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  if ('format' in schema && schema.format === 'int64') Object.assign(schema, { tsType: 'bigint' })
  for (const part of Object.values(schema)) markInt64(part)
}

if (import.meta.main) writeFileSync(TYPES, await generateTypes())
