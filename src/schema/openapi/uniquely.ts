import { isDeepStrictEqual } from 'node:util'

/**
 * An object of these entries, in which none hides another.
 * @param what they are, in the plural, for the error
 * @throws Error if two of the same name differ
 */
export function uniquely<Value>(what: string, entries: readonly (readonly [string, Value])[]): Record<string, Value> {
  const values = new Map<string, Value>()
  for (const [name, value] of entries) {
    if (isDeepStrictEqual(values.getOrInsert(name, value), value)) continue
    throw new Error(`Two ${what} are named "${name}" and differ.`)
  }
  return Object.fromEntries(values)
}
