import { InvalidArgumentError } from 'commander'
import { INT64_MAX, INT64_MIN, parseInt64 } from '../domain/int64.ts'

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
  if (value === undefined)
    throw new InvalidArgumentError(`It must be a whole number from ${INT64_MIN} to ${INT64_MAX}.`)
  return value
}

function parseFromTo(text: string, lowest: number, highest: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= lowest && value <= highest)) {
    throw new InvalidArgumentError(`It must be a whole number from ${lowest} to ${highest}.`)
  }
  return value
}
