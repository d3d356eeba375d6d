import type { Json } from './references.ts'
import { uniquely } from './uniquely.ts'

/** The `paths` of a document, from a table with a row for each operation. @throws Error if two rows have the same method and path */
export function describePaths<Row extends { method: string; path: string }>(
  table: readonly Row[],
  describe: (row: Row) => Json,
): Json {
  const byPath = Object.entries(Object.groupBy(table, ({ path }) => path))
  return Object.fromEntries(
    byPath.map(([path, rows = []]) => [
      path,
      uniquely(
        `operations of ${path}`,
        rows.map(row => [row.method.toLowerCase(), describe(row)]),
      ),
    ]),
  )
}

/** One part of each example, by their names; nothing if no example has it. */
export function describeExamples<Example>(
  examples: Readonly<Record<string, Example>>,
  partOf: (example: Example) => unknown,
): Json {
  const parts = Object.entries(examples).map(([name, example]) => [name, { value: partOf(example) }] as const)
  const given = parts.filter(([, { value }]) => value !== undefined)
  return given.length === 0 ? {} : { examples: Object.fromEntries(given) }
}
