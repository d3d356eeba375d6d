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

/** Schemas of responses that the console does not read. */
const UNUSED: ReadonlySet<string> = new Set(['Category'])

/** Generates the console's types from the OpenAPI document of the admin API. An int64 becomes a bigint. */
export async function generateConsoleTypes(): Promise<string> {
  const document = formatDocument(buildOpenApi()).replaceAll('#/components/schemas/', '#/definitions/')
  const { schemas } = JSON.parse(document, (_, schema) => withShortType(schema)).components
  const parts = ['// Made from the OpenAPI document of the admin API by `npm run generate --workspace console`.\n']
  for (const [name, schema] of Object.entries<JSONSchema>(schemas)) {
    if (UNUSED.has(name)) continue
    parts.push(await compile({ ...withoutRepetitions(name, schema, schemas), definitions: schemas }, name, OPTIONS))
  }
  const names = [...int64MembersOf(schemas)].toSorted().map(name => `'${name}'`)
  parts.push(
    `/** The members that are 64-bit integers. */\nexport const INT64_MEMBERS: ReadonlySet<string> = new Set([${names.join(', ')}])\n`,
  )
  const described = parts.join('\n').replaceAll(/\/\*\*\n *\* (.*)\n *\*\//g, '/** $1 */')
  // What each member is, only the document says.
  return described.replaceAll(/^ +\/\*\* .* \*\/\n/gm, '')
}

/** Names the types of int64 values and of objects with any members; the description of a list says what is in it. */
function withShortType(schema: JSONSchema): JSONSchema {
  if (schema?.format === 'int64') return { ...schema, tsType: 'bigint' }
  if (schema?.type === 'object' && !schema.properties) return { ...schema, tsType: VALUES }
  if (schema?.type !== 'array') return schema
  const { minItems: _, items, ...list } = schema
  return { ...list, items: { ...items, description: undefined } }
}

const VALUES = 'Record<string, string | number | boolean | null>'

/** Extends the schema whose properties are all in this one, and refers to a nested object that is the same as an earlier one of any schema. */
function withoutRepetitions(name: string, schema: JSONSchema, all: Readonly<Record<string, JSONSchema>>): JSONSchema {
  const properties = Object.entries(schema.properties ?? {})
  const [base, inherited] = Object.entries(all).find(([other, one]) => other !== name && isWithin(one, schema)) ?? []
  const own = properties
    .filter(([property]) => !inherited?.properties?.[property])
    .map(([property, one]) => {
      const own = `${name}['${property}']`
      const first = shapeOf(one).includes('"properties"') ? firstWithShape(shapeOf(one), all) : own
      return [property, first === own ? one : { description: one.description, tsType: first }]
    })
  const extending = base && { extends: [{ $ref: `#/definitions/${base}` }] }
  // The types of schemas do not know that one may extend another.
  return { ...schema, ...extending, ...(schema.properties && { properties: Object.fromEntries(own) }) } as JSONSchema
}

function isWithin({ properties: inner }: JSONSchema, { properties: outer }: JSONSchema): boolean {
  const isSame = ([name, one]: [string, JSONSchema]) => JSON.stringify(outer?.[name]) === JSON.stringify(one)
  return inner !== undefined && outer !== undefined && Object.entries(inner).every(isSame)
}

/** The type of the first property that has this shape. */
function firstWithShape(shape: string, all: Readonly<Record<string, JSONSchema>>): string {
  const types = Object.entries(all).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties).flatMap(([property, one]) => (shapeOf(one) === shape ? [`${name}['${property}']`] : [])),
  )
  return types[0] as string
}

/** A schema without its own description. */
function shapeOf({ description: _, anyOf = [], ...shape }: JSONSchema): string {
  return JSON.stringify([shape, ...anyOf.map(({ description: _, ...one }) => one)])
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
