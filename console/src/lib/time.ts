import { LOCALE } from './locale.ts'

/** How times are shown: in the time zone of the browser, or in UTC. */
export type Zone = 'local' | 'utc'

export function formatTime(iso: string, zone: Zone): string {
  return format(iso, zone, { dateStyle: 'medium', timeStyle: 'short' })
}

/** Such as "2027-03-01 11:00:00 UTC". */
export function formatUtc(iso: string): string {
  return `${iso.replace('T', ' ').replace(/\.\d+Z$|Z$/, '')} UTC`
}

/** The time of a day, such as 14:03:22. */
export function formatClock(instant: number, zone: Zone): string {
  return format(instant, zone, { timeStyle: 'medium' })
}

const STEPS = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
] as const

const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' })

/** Such as "3 minutes ago" or "in 2 hours". */
export function formatRelative(iso: string, now: number): string {
  let amount = (Date.parse(iso) - now) / 1_000
  for (const [unit, size] of STEPS) {
    const rounded = Math.round(amount)
    if (Math.abs(rounded) < size) return relative.format(rounded, unit)
    amount /= size
  }
  return iso
}

/** The UTC day of an instant, such as March 2, 2026. */
export function formatDate(iso: string): string {
  return format(iso, 'utc', { dateStyle: 'long' })
}

const DAY = { day: 'numeric', month: 'short' } as const

function format(at: string | number, zone: Zone, options: Intl.DateTimeFormatOptions): string {
  return formatIn(zone, options).format(new Date(at))
}

function formatIn(zone: Zone, options: Intl.DateTimeFormatOptions, locale = LOCALE): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, { ...options, ...(zone === 'utc' && { timeZone: 'UTC' }) })
}

export type PeriodUnit = 'hour' | 'day'

export const PERIOD_SECONDS: Record<PeriodUnit, number> = { hour: 3_600, day: 86_400 }

/** Days are always UTC days, because the service counts by them. */
export function zoneOf(unit: PeriodUnit, zone: Zone): Zone {
  return unit === 'day' ? 'utc' : zone
}

/** Such as "Mon, Mar 1, 2027 (UTC)", or "Mar 1, 2027, 11:00 AM – 12:00 PM GMT+1". @param at in seconds */
export function formatPeriod(at: number, unit: PeriodUnit, zone: Zone): string {
  if (unit === 'day') return `${format(at * 1_000, 'utc', { ...DAY, weekday: 'short', year: 'numeric' })} (UTC)`
  const end = new Date((at + PERIOD_SECONDS.hour) * 1_000)
  const hours = { ...DAY, year: 'numeric', hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const
  return formatIn(zone, hours).formatRange(new Date(at * 1_000), end)
}

/** For an axis: the day, or the hour of a day. @param at in seconds */
export function formatTick(at: number, unit: PeriodUnit, zone: Zone): string {
  const day = format(at * 1_000, zoneOf(unit, zone), DAY)
  if (unit === 'day') return day
  const clock = formatIn(zone, { hour: 'numeric', hourCycle: 'h23' }, 'en-GB').format(new Date(at * 1_000))
  return Number(clock) === 0 ? day : format(at * 1_000, zone, { hour: 'numeric', minute: '2-digit' })
}

/** The choice of an expiry: never, after some seconds, or at the end of a day. */
export interface Expiry {
  /** `never`, `date`, or seconds from now. */
  after: string
  /** Such as 2030-12-31; used with `date`. */
  date: string
  /** Where that day ends. */
  zone: Zone
}

export const NEVER: Expiry = { after: 'never', date: '', zone: 'local' }

/**
 * The instant, for the service; undefined for never. A day that is missing or impossible is sent unchanged: the service explains what is wrong.
 * @param expiry a choice, or an instant
 */
export function instantOf(expiry: Expiry | string, now: number): string | undefined {
  if (typeof expiry === 'string') return expiry
  const { after, date, zone } = expiry
  if (after === 'never') return undefined
  if (after !== 'date') return new Date(now + Number(after) * 1_000).toISOString()
  const end = new Date(`${date}T23:59:59${zone === 'utc' ? 'Z' : ''}`)
  return Number.isNaN(end.getTime()) ? date : end.toISOString()
}
