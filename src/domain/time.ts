export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** ISO 8601 in UTC, with milliseconds, such as 2027-03-01T12:00:00.250Z. */
export function isoTime(time: number): string {
  return new Date(time).toISOString()
}

export function optionalIsoTime(time: number | undefined): string | undefined {
  return time === undefined ? undefined : isoTime(time)
}

/** Without milliseconds, such as 2027-03-01T12:00:00Z. */
export function formatTime(time: number): string {
  return isoTime(time).replace(/\.\d+Z$/, 'Z')
}

/** Whole seconds, at least 1, rounded up so that waiting exactly that long is enough. */
export function secondsUntil(time: number, now: number): number {
  return Math.max(1, Math.ceil((time - now) / 1_000))
}
