import { Type } from 'typebox'
import { Refusal } from '../domain/errors.ts'

const INSTANT = 'a date and time with a zone, such as 2030-12-31T18:00:00Z'
const DAY = 'a UTC day such as 2030-12-31'

/** RFC 3339 as the checks of all tools read it: without a zone's name in brackets, and no finer than a nanosecond. */
const INSTANT_PATTERN =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$'

/** A point in time. */
export const Instant = (description: string) =>
  Type.String({ description, format: 'date-time', pattern: INSTANT_PATTERN, rule: INSTANT })

/** A UTC day; it is read by `domain/administration/usage.ts`. */
export const Day = (description: string) => Type.String({ description, format: 'date', rule: DAY })

/**
 * Reads an `Instant`, into Unix milliseconds.
 * @throws Refusal invalid_body
 */
export function parseInstant(text: string | undefined): number | undefined {
  try {
    return text === undefined ? undefined : Temporal.Instant.from(text).epochMilliseconds
  } catch {
    throw new Refusal('invalid_body', `expiresAt must be ${INSTANT}.`)
  }
}
