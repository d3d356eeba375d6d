import { Type } from 'typebox'
import { Refusal } from '../domain/errors.ts'
import { dayOf } from '../domain/usage.ts'

const INSTANT = 'a date and time with a zone, such as 2030-12-31T18:00:00Z'
const DAY = 'a UTC day such as 2030-12-31'

/** A point in time (RFC 3339). What reads it would take a zone's name in brackets for part of it. */
export const Instant = (description: string) =>
  Type.String({ description, format: 'date-time', pattern: '[0-9Zz]$', rule: INSTANT })

/** A UTC day. */
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

/**
 * Reads a `Day`, into days since 1970.
 * @throws Refusal invalid_parameter
 */
export function parseDay(name: string, text: string): number {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? dayOf(Date.parse(`${text}T00:00:00Z`)) : Number.NaN
  if (Number.isNaN(day)) throw new Refusal('invalid_parameter', `${name} must be ${DAY}.`)
  return day
}
