import type { CsvDelimiter } from '../domain/pet-files.ts'

/** The characters that are called so. */
export const DELIMITERS: Readonly<Record<CsvDelimiter, string>> = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' }

const NAMES = Object.keys(DELIMITERS) as CsvDelimiter[]

/**
 * Recognises the delimiter of a CSV file by its first line: the one that cuts out most of the names that are looked for, or else most values.
 * @param isKnown whether a name is looked for
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

/** The first line that some spreadsheets write to name the delimiter. */
export function declaredDelimiter(line: string): CsvDelimiter | undefined {
  const declared = /^"?sep=(.)"?$/i.exec(line)?.[1]
  return NAMES.find(name => DELIMITERS[name] === declared)
}

/** Cuts a line at the delimiters outside quotes, and takes the quotes away. */
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
