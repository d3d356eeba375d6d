/** To the millisecond, in UTC (ISO 8601), such as 2027-03-01T12:00:00.250Z. */
export function isoTime(time: number): string {
  return new Date(time).toISOString()
}

/** To the second, as a person reads it, such as 2027-03-01T12:00:00Z. */
export function formatTime(time: number): string {
  return isoTime(time).replace(/\.\d+Z$/, 'Z')
}
