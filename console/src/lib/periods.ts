import type { Zone } from './time.ts'

export type PeriodUnit = 'hour' | 'day'

export const PERIOD_SECONDS: Record<PeriodUnit, number> = { hour: 3_600, day: 86_400 }

/** Days are always UTC days, because the service counts by them. */
export function zoneOf(unit: PeriodUnit, zone: Zone): { timeZone?: string } {
  return unit === 'day' || zone === 'utc' ? { timeZone: 'UTC' } : {}
}

/** Such as "Mon, Mar 1, 2027 (UTC)", or "Mar 1, 2027, 11:00 AM – 12:00 PM GMT+1". @param at in seconds */
export function formatPeriod(at: number, unit: PeriodUnit, zone: Zone): string {
  const start = new Date(at * 1_000)
  if (unit === 'day') return `${dayFormat(unit, zone, { weekday: 'short', year: 'numeric' }).format(start)} (UTC)`
  const end = new Date((at + PERIOD_SECONDS.hour) * 1_000)
  const hours = { year: 'numeric', hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const
  return dayFormat(unit, zone, hours).formatRange(start, end)
}

/** For an axis: the day, or the hour of a day. @param at in seconds */
export function formatTick(at: number, unit: PeriodUnit, zone: Zone): string {
  const time = new Date(at * 1_000)
  const day = dayFormat(unit, zone).format(time)
  if (unit === 'day') return day
  const hour = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit', ...zoneOf(unit, zone) })
  const clock = new Intl.DateTimeFormat('en-GB', { hour: 'numeric', hourCycle: 'h23', ...zoneOf(unit, zone) })
  return Number(clock.format(time)) === 0 ? day : hour.format(time)
}

function dayFormat(unit: PeriodUnit, zone: Zone, more: Intl.DateTimeFormatOptions = {}) {
  return new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', ...more, ...zoneOf(unit, zone) })
}
