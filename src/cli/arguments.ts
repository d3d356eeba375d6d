import { InvalidArgumentError } from 'commander'
import { parseInt64 } from '../domain/int64.ts'
import { dayOf, USAGE_DIMENSIONS, type UsageDimension } from '../domain/usage.ts'

/** Reads a number such as `--per-minute 600`. Whether it makes sense is not decided here. */
export function parseCount(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** Reads a length of time of up to a year, in seconds. */
export function parseSeconds(text: string): number {
  if (!/^\d{1,8}$/.test(text) || Number(text) > YEAR_SECONDS) {
    throw new InvalidArgumentError(`It must be a whole number of seconds from 0 to ${YEAR_SECONDS}.`)
  }
  return Number(text)
}

const YEAR_SECONDS = 31_536_000

/** Reads an ISO 8601 date, which means its first moment in UTC, or a date and time with a zone. Gives Unix milliseconds. */
export function parseTime(text: string): number {
  try {
    return Temporal.Instant.from(DATE.test(text) ? `${text}T00:00Z` : text).epochMilliseconds
  } catch {
    throw new InvalidArgumentError(
      'It must be a date such as 2030-12-31, or a date and time with a zone such as 2030-12-31T18:00Z.',
    )
  }
}

/** Reads an ISO 8601 date. Gives days since 1970. */
export function parseDay(text: string): number {
  try {
    if (DATE.test(text)) return dayOf(Temporal.Instant.from(`${text}T00:00Z`).epochMilliseconds)
  } catch {}
  throw new InvalidArgumentError('It must be a date such as 2030-12-31.')
}

const DATE = /^\d{4}-\d{2}-\d{2}$/

export function parseDays(text: string): number {
  return parseFromTo(text, 1, 36_500)
}

/** Reads how long a list may be. */
export function parseLimit(text: string): number {
  return parseFromTo(text, 1, 1_000)
}

/** Reads an id, or any other whole number of 64 bits. */
export function parseInteger(text: string): bigint {
  const value = parseInt64(text)
  if (value === undefined) throw new InvalidArgumentError('It must be a whole number.')
  return value
}

/** Reads what usage is added up by, such as `day,key`. */
export function parseDimensions(text: string): readonly UsageDimension[] {
  const names = text.split(',')
  const by = names.flatMap(name => USAGE_DIMENSIONS.find(dimension => dimension === name) ?? [])
  if (by.length < names.length || new Set(by).size < by.length) {
    throw new InvalidArgumentError(`It must be one or more of ${USAGE_DIMENSIONS.join(', ')}, with commas between.`)
  }
  return by
}

function parseFromTo(text: string, lowest: number, highest: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= lowest && value <= highest)) {
    throw new InvalidArgumentError(`It must be a whole number from ${lowest} to ${highest}.`)
  }
  return value
}
