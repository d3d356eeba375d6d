import type { Zone } from './time.ts'

export type PeriodUnit = 'hour' | 'day'

export const PERIOD_SECONDS: Record<PeriodUnit, number> = { hour: 3_600, day: 86_400 }

/** Days are UTC days, whatever the time zone: the service counts by them. */
export function zoneOf(unit: PeriodUnit, zone: Zone): { timeZone?: string } {
  return unit === 'day' || zone === 'utc' ? { timeZone: 'UTC' } : {}
}

/** Such as "Mon, Mar 1, 2027", or "Mar 1, 2027, 11 AM – 12 PM". @param at in seconds */
export function formatPeriod(at: number, unit: PeriodUnit, zone: Zone): string {
  const start = new Date(at * 1_000)
  if (unit === 'day') return dayFormat(unit, zone, { weekday: 'short', year: 'numeric' }).format(start)
  const end = new Date((at + PERIOD_SECONDS.hour) * 1_000)
  return dayFormat(unit, zone, { year: 'numeric', hour: 'numeric', minute: '2-digit' }).formatRange(start, end)
}

/** For an axis: the day, or the hour of a day. @param at in seconds */
export function formatTick(at: number, unit: PeriodUnit, zone: Zone): string {
  const time = new Date(at * 1_000)
  const day = dayFormat(unit, zone).format(time)
  if (unit === 'day') return day
  const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', ...zoneOf(unit, zone) })
  const clock = new Intl.DateTimeFormat('en-GB', { hour: 'numeric', hourCycle: 'h23', ...zoneOf(unit, zone) })
  return Number(clock.format(time)) === 0 ? day : hour.format(time)
}

function dayFormat(unit: PeriodUnit, zone: Zone, more: Intl.DateTimeFormatOptions = {}) {
  return new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', ...more, ...zoneOf(unit, zone) })
}
