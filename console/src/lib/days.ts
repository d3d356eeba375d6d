import type { Zone } from './time.ts'

/** The start of a day such as 2030-12-31, for the service, which uses UTC days. Any other text is returned unchanged. */
export function startOfDay(day: string, zone: Zone): string {
  return zone === 'utc' ? day : momentOf(day, 0)
}

/** The end of a day; in UTC, the day itself, because the service includes it. */
export function endOfDay(day: string, zone: Zone): string {
  return zone === 'utc' ? day : momentOf(day, 1)
}

function momentOf(day: string, daysLater: number): string {
  const date = new Date(`${day}T00:00:00`)
  if (Number.isNaN(date.getTime())) return day
  date.setDate(date.getDate() + daysLater)
  return date.toISOString()
}
