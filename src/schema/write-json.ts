import { isoTime } from '../domain/time.ts'
import { isOptional, type SourceOf, type Static, type TObject, type TProperties, type TSchema } from './type.ts'

/**
 * Writes an object as its schema describes it, in the order of the schema: times, which are Unix milliseconds, become ISO 8601; undefined members
 * become null, or are left out if they may be absent. Does not compile if a member is missing, or is not in the schema.
 */
export function writeJson<Properties extends TProperties, Source extends SourceOf<TObject<Properties>>>(
  schema: TObject<Properties>,
  source: Source & Record<Exclude<keyof Source, keyof Properties>, never>,
): Static<TObject<Properties>> {
  return jsonOf(schema, source) as Static<TObject<Properties>>
}

/** The same for objects of which nothing must be computed. What the schema does not describe is left out. */
export function writerOf<Properties extends TProperties>(schema: TObject<Properties>) {
  return (source: SourceOf<TObject<Properties>>) => jsonOf(schema, source) as Static<TObject<Properties>>
}

interface Parts {
  anyOf?: readonly [TSchema, TSchema]
  format?: string
  items?: TSchema
  properties?: TProperties
}

function jsonOf(schema: TSchema, source: unknown): unknown {
  const { anyOf, format, items, properties } = schema as Parts
  if (anyOf) return source === undefined ? null : jsonOf(anyOf[0], source)
  if (format === 'date-time' && typeof source === 'number') return isoTime(source)
  if (items) return (source as unknown[]).map(item => jsonOf(items, item))
  if (!properties || source === null) return source
  const members = Object.entries(properties).map(([name, one]) => {
    const value = (source as Record<string, unknown>)[name]
    return isOptional(one) && value === undefined ? [] : [[name, jsonOf(one, value)]]
  })
  return Object.fromEntries(members.flat())
}
