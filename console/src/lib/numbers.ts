const counts = new Intl.NumberFormat()
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })

export function formatCount(count: number | bigint): string {
  return counts.format(count)
}

/** Such as 12K, where space is tight. */
export function formatCompact(count: number): string {
  return compact.format(count)
}

const ORDINALS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' }
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })

/** Such as "2nd". */
export function formatOrdinal(number: number): string {
  return `${number}${ORDINALS[ordinals.select(number)]}`
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** Such as "510 bytes" or "4.2 MB". */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(bytes || 1) / 3)))
  const unit = UNITS[power] as string
  const format = new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit,
    // The short form is "510 byte".
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  })
  return format.format(bytes / 1_000 ** power)
}

/** Such as "1 animal" or "12 animals". */
export function formatCounted(count: number, one: string, several = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : several}`
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
