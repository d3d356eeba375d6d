import type { CsvDelimiter } from '../domain/pet-files.ts'

/** The character for each name. */
export const DELIMITERS: Readonly<Record<CsvDelimiter, string>> = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' }

const NAMES = Object.keys(DELIMITERS) as CsvDelimiter[]

/**
 * Recognises the delimiter of a CSV file by its first line: the one that yields the most known names or, if several do, the most values.
 * @param isKnown whether a name is a known column name
 */
export function recogniseDelimiter(header: string, isKnown: (name: string) => boolean): CsvDelimiter {
  const candidates = NAMES.map(name => {
    const values = cut(header, DELIMITERS[name])
    return { name, known: values.filter(isKnown).length, count: values.length }
  })
  return candidates.reduce((best, one) =>
    one.known > best.known || (one.known === best.known && one.count > best.count) ? one : best,
  ).name
}

/** The delimiter declared in the first line, as some spreadsheets write it: `sep=;`. */
export function declaredDelimiter(line: string): CsvDelimiter | undefined {
  const declared = /^"?sep=(.)"?$/i.exec(line)?.[1]
  return NAMES.find(name => DELIMITERS[name] === declared)
}

/** Splits a line at the delimiters outside quotes, and removes the quotes. */
function cut(line: string, delimiter: string): string[] {
  const values = ['']
  let isQuoted = false
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted
    else if (character === delimiter && !isQuoted) values.push('')
    else values[values.length - 1] += character
  }
  return values
}
