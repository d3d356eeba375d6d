import type { Zone } from './time.ts'

/** The first moment of a day such as 2030-12-31, for the service, whose own days are those of UTC. Any other text is returned unchanged. */
export function startOfDay(day: string, zone: Zone): string {
  return zone === 'utc' ? day : momentOf(day, 0)
}

/** The first moment after a day; in UTC, the day itself, which the service includes. */
export function endOfDay(day: string, zone: Zone): string {
  return zone === 'utc' ? day : momentOf(day, 1)
}

function momentOf(day: string, daysLater: number): string {
  const date = new Date(`${day}T00:00:00`)
  if (Number.isNaN(date.getTime())) return day
  date.setDate(date.getDate() + daysLater)
  return date.toISOString()
}
