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
  const [size, unit] = UNITS.find(([size]) => seconds % size === 0) ?? UNITS[3]
  return new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / size)
}

/** Lengths of time to choose from, for a Select. */
export function durationOptions(seconds: readonly number[]): { value: string; name: string }[] {
  return seconds.map(one => ({ value: String(one), name: formatSeconds(one) }))
}

export const SECONDS = { hour: HOUR, day: DAY, week: 7 * DAY, month: 30 * DAY, quarter: 90 * DAY, year: 365 * DAY }
