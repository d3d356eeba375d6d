import { LOCALE } from './locale.ts'

const counts = new Intl.NumberFormat(LOCALE)
const compact = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 })

export function formatCount(count: number | bigint): string {
  return counts.format(count)
}

/** Such as 12K, where space is tight. */
export function formatCompact(count: number): string {
  return compact.format(count)
}

const ORDINALS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' }
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })

/** Such as "2nd". */
export function formatOrdinal(number: number): string {
  return `${number}${ORDINALS[ordinals.select(number)]}`
}

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** Such as "510 bytes" or "4.2 MB". */
export function formatBytes(bytes: number): string {
  const power = Math.min(BYTE_UNITS.length - 1, Math.max(0, Math.floor(Math.log10(bytes || 1) / 3)))
  const unit = BYTE_UNITS[power] as string
  // The short form is "510 byte".
  return formatUnit(bytes / 1_000 ** power, unit, power === 0 ? 'long' : 'short', 1)
}

function formatUnit(value: number, unit: string, unitDisplay: 'long' | 'short', maximumFractionDigits: number): string {
  return new Intl.NumberFormat(LOCALE, { style: 'unit', unit, unitDisplay, maximumFractionDigits }).format(value)
}

/** Such as "1 animal" or "12 animals". */
export function formatCounted(count: number, one: string, several = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : several}`
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const UNITS = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [1, 'second'],
] as const

/** Such as "7 days", in the largest unit that fits exactly. */
export function formatSeconds(seconds: number): string {
  return formatIn(UNITS.find(([size]) => seconds % size === 0) ?? UNITS[3], seconds)
}

/** Such as "24 hours" for 24 hours and a minute: rounded to the largest unit of which there are at least two. */
export function formatRoughly(seconds: number): string {
  return formatIn(UNITS.find(([size]) => seconds >= 2 * size) ?? UNITS[3], seconds)
}

function formatIn([size, unit]: (typeof UNITS)[number], seconds: number): string {
  return formatUnit(seconds / size, unit, 'long', 0)
}

export const SECONDS = { hour: HOUR, day: DAY, week: 7 * DAY, month: 30 * DAY, quarter: 90 * DAY, year: 365 * DAY }
