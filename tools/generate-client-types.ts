import { readFileSync, writeFileSync } from 'node:fs'
import { compile, type JSONSchema } from 'json-schema-to-typescript'

const DOCUMENT = new URL('../openapi.json', import.meta.url)

/** The file with the client's public types. */
export const CLIENT_TYPES = new URL('../client/src/openapi.ts', import.meta.url)

const OPTIONS = {
  additionalProperties: false,
  bannerComment: '',
  // Referenced schemas have their own entries.
  declareExternallyReferenced: false,
  style: { semi: false, singleQuote: true, printWidth: 120, arrowParens: 'avoid' },
} as const

/** Generates the client's public types from the committed OpenAPI document. An int64 becomes a bigint. */
export async function generateTypes(): Promise<string> {
  const document = readFileSync(DOCUMENT, 'utf8').replaceAll('#/components/schemas/', '#/definitions/')
  const { schemas } = JSON.parse(document, withBigint).components
  const ErrorCode = {
    type: 'string' as const,
    description: 'The error codes of the service.',
    enum: schemas.Error.properties.code['x-extensible-enum'],
  }
  const parts = ['// Made from openapi.json by `npm run generate --workspace client`.\n']
  for (const [name, schema] of Object.entries<JSONSchema>({
    PetStatus: schemas.PetStatus,
    ErrorCode,
    Pet: schemas.Pet,
  })) {
    parts.push(await compile({ ...schema, definitions: schemas }, name, OPTIONS))
  }
  return onOneLine(parts.join('\n'))
}

function withBigint(_: string, schema: unknown): unknown {
  const isInt64 = typeof schema === 'object' && schema !== null && 'format' in schema && schema.format === 'int64'
  return isInt64 ? { ...schema, tsType: 'bigint' } : schema
}

/** Puts short comments on one line, like handwritten ones. */
function onOneLine(source: string): string {
  return source.replaceAll(/\/\*\*\n *\* (.*)\n *\*\//g, '/** $1 */')
}

if (import.meta.main) writeFileSync(CLIENT_TYPES, await generateTypes())
