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
  const format = new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    maximumFractionDigits: 0,
  })
  return format.format(seconds / size)
}

/** Durations as options of a Select. */
export function durationOptions(seconds: readonly number[]): { value: string; name: string }[] {
  return seconds.map(one => ({ value: String(one), name: formatSeconds(one) }))
}

export const SECONDS = { hour: HOUR, day: DAY, week: 7 * DAY, month: 30 * DAY, quarter: 90 * DAY, year: 365 * DAY }
