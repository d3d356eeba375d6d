import type { TObject, TProperties, TSchema } from './type.ts'

type Test = (value: unknown) => boolean

/**
 * Builds the test of a schema: whether a value matches it (JSON Schema 2020-12, the subset that type.ts uses). Lengths are in code points. A
 * `bigint` is an int64 as our JSON parser returns it.
 */
export function testOf(schema: TSchema): Test {
  const keywords = Object.entries(schema).filter(([keyword]) => !NOT_TESTED.has(keyword))
  const tests = keywords.map(([keyword, operand]) => {
    const build = KEYWORDS[keyword]
    if (!build) throw new Error(`The schema keyword ${keyword} is not supported.`)
    return build(operand as never, schema)
  })
  return value => tests.every(test => test(value))
}

/** Documentation, and members that only validate.ts and the OpenAPI documents use. */
const NOT_TESTED = new Set(['description', 'default', 'rule', 'check', 'described'])

const TYPES: Readonly<Record<string, Test>> = {
  string: value => typeof value === 'string',
  integer: Number.isInteger,
  bigint: value => typeof value === 'bigint',
  boolean: value => typeof value === 'boolean',
  null: value => value === null,
  array: Array.isArray,
  object: isObject,
}

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  date: text => /^\d{4}-\d{2}-\d{2}$/.test(text) && isReadable(() => Temporal.PlainDate.from(text)),
  'date-time': text => isReadable(() => Temporal.Instant.from(text)),
}

/** As in JSON Schema, each keyword tests only values of its own type. */
const KEYWORDS: Readonly<Record<string, (operand: never, schema: TSchema) => Test>> = {
  type: (name: string) => TYPES[name] as Test,
  enum: (values: readonly unknown[]) => value => values.includes(value),
  anyOf: (schemas: readonly TSchema[]) => {
    const tests = schemas.map(testOf)
    return value => tests.some(test => test(value))
  },
  minLength: (least: number) => ofText(text => text.length >= 2 * least || codePoints(text) >= least),
  maxLength: (most: number) =>
    ofText(text => text.length <= most || (text.length <= 2 * most && codePoints(text) <= most)),
  pattern: (source: string) => {
    const pattern = new RegExp(source, 'u')
    return ofText(text => pattern.test(text))
  },
  format: (name: string) => ofText(FORMATS[name] ?? (() => true)),
  minimum: (least: number) => value => typeof value !== 'number' || value >= least,
  maximum: (most: number) => value => typeof value !== 'number' || value <= most,
  minItems: (least: number) => ofList(list => list.length >= least),
  maxItems: (most: number) => ofList(list => list.length <= most),
  items: (schema: TSchema) => {
    const test = testOf(schema)
    return ofList(list => list.every(test))
  },
  minProperties: (least: number) => ofObject(members => Object.keys(members).length >= least),
  required: (names: readonly string[]) => ofObject(members => names.every(name => members[name] !== undefined)),
  properties: (properties: TProperties) => {
    const tests = Object.entries(properties).map(([name, property]) => [name, testOf(property)] as const)
    return ofObject(members => tests.every(([name, test]) => members[name] === undefined || test(members[name])))
  },
  /** The value is always false. */
  additionalProperties: (_: false, schema) => {
    const { properties } = schema as TObject
    return ofObject(members => Object.keys(members).every(name => Object.hasOwn(properties, name)))
  },
}

function ofText(test: (text: string) => boolean): Test {
  return value => typeof value !== 'string' || test(value)
}

function ofList(test: (list: readonly unknown[]) => boolean): Test {
  return value => !Array.isArray(value) || test(value)
}

function ofObject(test: (members: Readonly<Record<string, unknown>>) => boolean): Test {
  return value => !isObject(value) || test(value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

function isReadable(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}
