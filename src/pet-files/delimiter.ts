import type { CsvDelimiter } from '../domain/pet-files.ts'
import { CsvValues } from './csv-values.ts'

/** The character for each name. */
export const DELIMITERS: Readonly<Record<CsvDelimiter, string>> = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' }

const NAMES = Object.keys(DELIMITERS) as CsvDelimiter[]

/**
 * Recognises the delimiter of a CSV file by its header: the one that yields the most known names or, if several do, the most values. The header is
 * the first line with at least two known names, because titles may precede it; otherwise the first line.
 * @param isKnown whether a name is a known column name
 */
export function recogniseDelimiter(lines: readonly string[], isKnown: (name: string) => boolean): CsvDelimiter {
  const bestOf = (line: string) =>
    NAMES.map(name => {
      const read = new CsvValues(DELIMITERS[name])
      read.add(line)
      return { name, known: read.values.filter(isKnown).length, count: read.values.length }
    }).reduce((best, one) =>
      one.known > best.known || (one.known === best.known && one.count > best.count) ? one : best,
    )
  const header = lines
    .values()
    .map(bestOf)
    .find(({ known }) => known > 1)
  return (header ?? bestOf(lines[0] as string)).name
}

/**
 * The delimiter declared in the first line, as some spreadsheets write it: `sep=;`. A program that saved the file again may have filled that
 * line up with its own delimiters: `sep=,,,`.
 */
export function declaredDelimiter(line: string): CsvDelimiter | undefined {
  const [, declared, filling] = /^"?sep=([,;\t|]?)"?(?:[,;\t|]*([,;\t|]))?$/i.exec(line) ?? []
  return NAMES.find(name => DELIMITERS[name] === (filling ?? declared))
}
