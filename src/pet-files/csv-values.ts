/** Reads the values of one record of a CSV file (RFC 4180), line by line. Blanks around values and around quotes are not part of a value. */
export class CsvValues {
  readonly values: string[] = []
  /** Why the record cannot be read. */
  reason: string | undefined
  readonly #patterns: Patterns
  /** The text so far of a value whose closing quote has not come. */
  #open: string | undefined

  constructor(delimiter: string) {
    this.#patterns = patternsFor(delimiter)
  }

  /** Whether the record continues in the next line. */
  get isOpen(): boolean {
    return this.#open !== undefined
  }

  /** @param line without its end */
  add(line: string): void {
    for (let at = 0; at <= line.length; ) {
      const pattern = this.#open === undefined ? this.#patterns.value : this.#patterns.rest
      pattern.lastIndex = at
      const [whole, quoted, closing, plain] = pattern.exec(line) ?? []
      if (whole === undefined) {
        this.#refuse(line.slice(at))
        return
      }
      if (plain !== undefined) this.values.push(plain.trim())
      else {
        const text = (this.#open ?? '') + quoted?.replaceAll('""', '"')
        this.#open = closing ? undefined : `${text}\n`
        if (!closing) return
        this.values.push(text)
      }
      at += whole.length + 1
    }
  }

  #refuse(rest: string): void {
    this.#open = undefined
    this.reason = /^\s*=/.test(rest) ? FORMULA : BAD_QUOTE
  }
}

const FORMULA = 'a value such as ="12" is a formula; it must be the text alone: 12.'
const BAD_QUOTE = 'a value that contains a quote must be in quotes, with the inner quotes doubled: "Rex ""the King""".'

interface Patterns {
  /** A value up to the next delimiter or the end of the line: in quotes (1), with a closing quote (2), or without quotes (3). */
  value: RegExp
  /** The rest of a value in quotes (1) that began in an earlier line, with a closing quote (2). */
  rest: RegExp
}

const prepared = new Map<string, Patterns>()

function patternsFor(delimiter: string): Patterns {
  return prepared.getOrInsertComputed(delimiter, () => {
    const blanks = `[^\\S${delimiter}]*`
    const isAtEnd = `(?=[${delimiter}]|$)`
    const rest = `([^"]*(?:""[^"]*)*)(?:(")${blanks}${isAtEnd}|$)`
    const value = `${blanks}"${rest}|([^"${delimiter}]*)${isAtEnd}`
    return { value: new RegExp(value, 'y'), rest: new RegExp(rest, 'y') }
  })
}
