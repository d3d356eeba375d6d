import { writeFileSync } from 'node:fs'
import { compile, type JSONSchema } from 'json-schema-to-typescript'
import { buildOpenApi } from '../site/operator-openapi.ts'
import { formatDocument } from '../src/schema/openapi/format.ts'

/** The file with the types of the admin API. */
export const CONSOLE_TYPES = new URL('../console/src/api/schema.ts', import.meta.url)

const OPTIONS = {
  additionalProperties: false,
  bannerComment: '',
  // Referenced schemas have their own entries.
  declareExternallyReferenced: false,
  // Otherwise, a list of up to 20 would become a union of 20 tuples.
  ignoreMinAndMaxItems: true,
  style: { semi: false, singleQuote: true, printWidth: 120, arrowParens: 'avoid' },
} as const

/** Generates the console's types from the OpenAPI document of the admin API. An int64 becomes a bigint. */
export async function generateConsoleTypes(): Promise<string> {
  const document = formatDocument(buildOpenApi('production')).replaceAll('#/components/schemas/', '#/definitions/')
  const { schemas } = JSON.parse(document, (_, schema) =>
    schema?.format === 'int64' ? { ...schema, tsType: 'bigint' } : schema,
  ).components
  const parts = ['// Made from the OpenAPI document of the admin API by `npm run generate --workspace console`.\n']
  for (const [name, schema] of Object.entries<JSONSchema>(schemas)) {
    parts.push(await compile({ ...schema, definitions: schemas }, name, OPTIONS))
  }
  const names = [...int64MembersOf(schemas)].toSorted().map(name => `'${name}'`)
  parts.push(
    `/** The members that are 64-bit integers. */\nexport const INT64_MEMBERS: ReadonlySet<string> = new Set([${names.join(', ')}])\n`,
  )
  return parts.join('\n').replaceAll(/\/\*\*\n *\* (.*)\n *\*\//g, '/** $1 */')
}

/** The names of all properties that are, may be, or list int64 values. */
function int64MembersOf(schema: unknown): Set<string> {
  if (typeof schema !== 'object' || schema === null) return new Set()
  const properties = 'properties' in schema ? Object.entries(schema.properties as object) : []
  const own = properties.filter(([, { anyOf = [], items = {}, ...one }]) =>
    [one, items, ...anyOf].some(({ format }) => format === 'int64'),
  )
  const deeper = Object.values(schema).flatMap(part => [...int64MembersOf(part)])
  return new Set([...own.map(([name]) => name), ...deeper])
}

if (import.meta.main) writeFileSync(CONSOLE_TYPES, await generateConsoleTypes())
