import { InvalidArgumentError } from 'commander'
import { MAX_OVERLAP_SECONDS } from '../domain/administration/keys.ts'
import { INT64_MAX, INT64_MIN, parseInt64 } from '../domain/int64.ts'

/** Reads a number such as `--per-minute 600`. The domain checks its range. */
export function parseCount(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** Reads how long two keys both work, in seconds. */
export function parseOverlap(text: string): number {
  return parseFromTo(text, 0, MAX_OVERLAP_SECONDS)
}

/** Reads an ISO 8601 date, which means 00:00 UTC, or a date and time with a zone. Returns Unix milliseconds. */
export function parseTime(text: string): number {
  try {
    return Temporal.Instant.from(DATE.test(text) ? `${text}T00:00Z` : text).epochMilliseconds
  } catch {
    throw new InvalidArgumentError(
      'It must be a date such as 2030-12-31, or a date and time with a zone such as 2030-12-31T18:00Z.',
    )
  }
}

const DATE = /^\d{4}-\d{2}-\d{2}$/

export function parseDays(text: string): number {
  return parseFromTo(text, 1, 36_500)
}

export function parseLimit(text: string): number {
  return parseFromTo(text, 1, 1_000)
}

/** Reads an id or another whole number of 64 bits. */
export function parseInteger(text: string): bigint {
  const value = parseInt64(text)
  if (value === undefined)
    throw new InvalidArgumentError(`It must be a whole number from ${INT64_MIN} to ${INT64_MAX}.`)
  return value
}

function parseFromTo(text: string, min: number, max: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max)) {
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  }
  return value
}
