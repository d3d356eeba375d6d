import type { SQLInputValue } from 'node:sqlite'

/** The conditions whose value is known, and these values. */
export function conditions(all: readonly [condition: string, value: SQLInputValue | undefined][]): {
  where: string
  values: SQLInputValue[]
} {
  const known = all.filter((one): one is [string, SQLInputValue] => one[1] !== undefined)
  if (known.length === 0) return { where: '', values: [] }
  return {
    where: `WHERE ${known.map(([condition]) => condition).join(' AND ')}`,
    values: known.map(([, value]) => value),
  }
}
