import { formatSeconds } from './numbers.ts'

/** An option of a Select. */
export interface Option {
  value: string
  name: string
}

/** Options by their values, in this order. Whole numbers as values would come first. */
export function optionsOf(names: Readonly<Record<string, string>>): Option[] {
  return Object.entries(names).map(([value, name]) => ({ value, name }))
}

export function durationOptions(seconds: readonly number[]): Option[] {
  return seconds.map(one => ({ value: String(one), name: formatSeconds(one) }))
}
