const MAX_LENGTH = 1_000

/** The columns of a file in the audit log, by which the console finds files with the same columns. */
export function describeColumns(names: readonly string[]): string {
  const named = names.filter(name => name !== '')
  return named.join(', ').slice(0, MAX_LENGTH)
}
