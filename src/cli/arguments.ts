import { InvalidArgumentError } from 'commander'
import { UserError } from '../domain/errors.ts'
import { formatNumber } from '../domain/format-number.ts'
import { INT64_MAX, INT64_MIN, parseInt64 } from '../domain/int64.ts'
import { MAX_PAUSE_SECONDS } from '../domain/source.ts'

/** Reads a number such as `--per-minute 600`. The domain checks its range. */
export function parseCount(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** A parser of seconds, or of a length of time such as 12h. Returns seconds. @param range in words */
export function lengthFromTo(min: number, max: number, range: string): (text: string) => number {
  return text => {
    const length = parseLength(text)
    const seconds = length ? length.count * length.unit.seconds : readFromTo(text, min, max)
    if (seconds === undefined || seconds < min || seconds > max) {
      throw new InvalidArgumentError(`It must be a number of seconds or a length of time such as 12h or 7d, ${range}.`)
    }
    return seconds
  }
}

/**
 * Reads a length of time from now, such as 30d; an ISO 8601 date, which means 00:00 UTC; or a date and time with a zone. Returns Unix
 * milliseconds.
 */
export function parseExpiry(text: string): number {
  return parseTime(text, 1)
}

/** Reads the same formats as `parseExpiry`, but a length of time goes back from now: 30d is 30 days ago. */
export function parsePast(text: string): number {
  return parseTime(text, -1)
}

function parseTime(text: string, direction: 1 | -1): number {
  try {
    const length = parseLength(text)
    const time = length
      ? Temporal.Now.zonedDateTimeISO('UTC').add({ [length.unit.name]: direction * length.count })
      : Temporal.Instant.from(DATE.test(text) ? `${text}T00:00Z` : text).toZonedDateTimeISO('UTC')
    if (time.year >= MIN_YEAR && time.year <= MAX_YEAR) return time.epochMilliseconds
  } catch {
    // Neither a time nor a length of time.
  }
  throw new InvalidArgumentError(
    'It must be a length of time such as 12h, 30d, 8w or 1y, a date such as 2030-12-31, or a date and time with a zone such as 2030-12-31T18:00Z.',
  )
}

export const EXPIRY_HELP = `--expires takes a length of time in hours, days, weeks or years (12h, 30d, 8w,
1y), or a date. A date without a time means 00:00 UTC; a time needs a zone.`

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** Other years have more digits, or a sign, which many programs cannot read. */
const MIN_YEAR = 0
const MAX_YEAR = 9999

/** The names are those of `Temporal`. */
const UNITS = {
  h: { name: 'hours', seconds: 3_600 },
  d: { name: 'days', seconds: 86_400 },
  w: { name: 'weeks', seconds: 604_800 },
  y: { name: 'years', seconds: 31_536_000 },
} as const

export function asArgument<Value, Earlier>(parse: (text: string, earlier?: Earlier) => Value) {
  return (text: string, earlier?: Earlier): Value => {
    try {
      return parse(text, earlier)
    } catch (error) {
      throw error instanceof UserError ? new InvalidArgumentError(error.message) : error
    }
  }
}

function parseLength(text: string): { count: number; unit: (typeof UNITS)[keyof typeof UNITS] } | undefined {
  const [, count, letter] = /^(\d{1,6})([hdwy])$/.exec(text) ?? []
  return count === undefined ? undefined : { count: Number(count), unit: UNITS[letter as keyof typeof UNITS] }
}

/** Reads the address of a listener, with or without a path prefix. That of its console is accepted, too. */
export function parseListenerUrl(text: string): string {
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null
  if (url && !/[?#]/.test(text) && url.username === '' && url.password === '')
    return url.href.replace(/\/console\/?$/, '/')
  throw new InvalidArgumentError('It must be an http or https URL such as https://operators.example.com.')
}

export const parsePause = lengthFromTo(1, MAX_PAUSE_SECONDS, 'up to one year')

export const parseLimit = wholeFromTo(1, 1_000)

/** Reads the name of a file, which is empty if a script has not set its variable. */
export function parseFile(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must be the name of a file.')
  return text
}

/** Reads the name of a file where `-` cannot stand for standard input or output. */
export function parseNamedFile(text: string): string {
  if (text === '-') throw new InvalidArgumentError('It must be the name of a file; - is not supported here.')
  return parseFile(text)
}

/** Reads an id or any other 64-bit integer. */
export function parseInteger(text: string): bigint {
  const value = parseInt64(text)
  if (value === undefined)
    throw new InvalidArgumentError(`It must be a whole number from ${INT64_MIN} to ${INT64_MAX}.`)
  return value
}

export function wholeFromTo(min: number, max: number): (text: string) => number {
  return text => {
    const value = readFromTo(text, min, max)
    if (value !== undefined) return value
    throw new InvalidArgumentError(`It must be a whole number from ${formatNumber(min)} to ${formatNumber(max)}.`)
  }
}

/** Returns undefined for anything else. */
function readFromTo(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? value : undefined
}
