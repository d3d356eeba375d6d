import { Type } from 'typebox'
import { Refusal } from '../domain/errors.ts'

const INSTANT = 'a date and time with a zone, such as 2030-12-31T18:00:00Z'
const DAY = 'a UTC day such as 2030-12-31'

/** A point in time (RFC 3339). What reads it would take a zone's name in brackets for part of it. */
export const Instant = (description: string) =>
  Type.String({ description, format: 'date-time', pattern: '[0-9Zz]$', rule: INSTANT })

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
