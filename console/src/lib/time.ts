/** How times are shown: in the time zone of the browser, or in UTC. */
export type Zone = 'local' | 'utc'

export function formatTime(iso: string, zone: Zone): string {
  return new Intl.DateTimeFormat(undefined, {
    dateStyle: 'medium',
    timeStyle: 'short',
    ...(zone === 'utc' && { timeZone: 'UTC' }),
  }).format(new Date(iso))
}

/** Such as "2027-03-01 11:00:00 UTC". */
export function formatUtc(iso: string): string {
  return `${iso.replace('T', ' ').replace(/\.\d+Z$|Z$/, '')} UTC`
}

/** The time of a day, such as 14:03:22. */
export function formatClock(instant: number, zone: Zone): string {
  return new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', ...(zone === 'utc' && { timeZone: 'UTC' }) }).format(
    instant,
  )
}

const STEPS = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
] as const

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

/** Such as "3 minutes ago" or "in 2 hours". */
export function formatRelative(iso: string, now: number): string {
  let amount = (Date.parse(iso) - now) / 1_000
  for (const [unit, size] of STEPS) {
    if (Math.abs(amount) < size) return relative.format(Math.round(amount), unit)
    amount /= size
  }
  return iso
}

/** The UTC day of an instant, such as March 2, 2026. */
export function formatDate(iso: string): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(iso))
}

/** A UTC day, such as 2026-03-02, in words. */
export function formatDay(day: string): string {
  return new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(day))
}
