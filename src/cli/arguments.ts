import { InvalidArgumentError } from 'commander'

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
    return Temporal.Instant.from(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00Z` : text).epochMilliseconds
  } catch {
    throw new InvalidArgumentError(
      'It must be a date such as 2030-12-31, or a date and time with a zone such as 2030-12-31T18:00Z.',
    )
  }
}
