import { LABEL_PATTERN } from '../domain/text-pattern.ts'
import { type SourceOf, type Static, type TProperties, type TSchema, Type } from './type.ts'

/**
 * The fields of the admin API. Ids are bigints, written as exact integers by formatJson; times are ISO 8601 in UTC; absent values are null. The
 * responses are in responses/, each beside the function that makes it; the tests check every response against them.
 */

export const id = (description: string) => Type.BigInt({ description })
export const text = (description: string) => Type.String({ description })
/** Of a request, and not empty. */
export const given = (description: string, rule: string, more: object = {}) =>
  Type.String({ description, minLength: 1, rule, ...more })
export const count = (description: string) => Type.Integer({ description, minimum: 0 })
export const time = (description: string) =>
  Type.Unsafe<string, number>({ type: 'string', description, format: 'date-time' })
/** Of a request: `rule` completes the sentence "<name> must be …". */
export const integer = (minimum: number, maximum: number, description: string, more: object = {}) =>
  Type.Integer({ description, minimum, maximum, rule: `an integer from ${minimum} to ${maximum}`, ...more })
export const flag = (description: string) => Type.Boolean({ description, rule: 'true or false' })
export const date = (description: string) => Type.String({ description, format: 'date' })
export const nullable = <Schema extends TSchema>(schema: Schema) =>
  Type.Unsafe<Static<Schema> | null, SourceOf<Schema> | null | undefined>(Type.Union([schema, Type.Null()]))

export const object = <Properties extends TProperties>(description: string, properties: Properties) =>
  Type.Object(properties, { description, additionalProperties: false })

export const named = <Properties extends TProperties>(name: string, description: string, properties: Properties) =>
  Type.Named(name, object(description, properties))

export const oneOf = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Enum([...values], { description, rule: `one of ${values.join(', ')}` })

/** A name that `domain/label.ts` accepts; it refuses a few more names than a schema can express. */
export const Label = (description: string, more: object = {}) =>
  Type.String({ description, minLength: 1, maxLength: 100, pattern: LABEL_PATTERN, ...more })
