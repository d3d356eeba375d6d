/** The column of a file of lines to correct that says why each is bad. An import skips it. */
export const PROBLEM_COLUMN = 'problem (not imported)'

const MAX_LENGTH = 1_000

/** The columns of a file in the audit log, by which files with the same columns are found. Its lines to correct have the same. */
export function describeColumns(names: readonly string[]): string {
  const named = names.filter(name => name !== '' && name !== PROBLEM_COLUMN)
  return named.join(', ').slice(0, MAX_LENGTH)
}

export interface RememberedMeanings<Entry> {
  /** By member and word in lower case, such as `status:adopted`. */
  meanings: ReadonlyMap<string, string>
  /** The entry of the import that was carried out with them. */
  entry: Entry
}

/** What words meant in the last import of a file with the same columns. @param entries those of imports, newest first */
export function findMeanings<Entry extends { details: Readonly<Record<string, unknown>> }>(
  entries: readonly Entry[],
  names: readonly string[],
): RememberedMeanings<Entry> | undefined {
  const columns = describeColumns(names)
  const entry = entries.find(({ details }) => details.columns === columns && typeof details.meanings === 'string')
  if (!entry) return undefined
  const pairs = String(entry.details.meanings)
    .split('\n')
    .map(line => [line.slice(0, line.lastIndexOf('=')).toLowerCase(), line.slice(line.lastIndexOf('=') + 1)] as const)
  return { meanings: new Map(pairs), entry }
}

/** So many imports back, meanings are found again. */
export const MAX_IMPORTS_SEARCHED = 100
