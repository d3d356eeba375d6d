/** The conditions whose value is known, and these values. */
export function conditions<Value>(all: readonly [condition: string, value: Value | undefined][]): {
  where: string
  values: Value[]
} {
  const known = all.filter((one): one is [string, Value] => one[1] !== undefined)
  if (known.length === 0) return { where: '', values: [] }
  return {
    where: `WHERE ${known.map(([condition]) => condition).join(' AND ')}`,
    values: known.map(([, value]) => value),
  }
}
