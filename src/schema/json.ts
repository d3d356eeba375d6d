import { isUtf8 } from 'node:buffer'
import { isInt64 } from '../domain/int64.ts'
import { InvalidInput } from './invalid-input.ts'
import { MAX_JSON_DEPTH } from './limits.ts'

/** An int64 is a bigint, so that it is never rounded; any other number is a fraction or does not fit into 64 bits. */
type JsonValue = null | boolean | string | bigint | number | JsonValue[] | { [name: string]: JsonValue }

/**
 * Parses JSON (RFC 8259) more strictly than JSON.parse: valid UTF-8, no duplicate members, no lone surrogates, no NUL, limited nesting.
 * Numbers are exact: 9223372036854775807 keeps every digit, and 1.0 and 1e3 are integers.
 * @throws InvalidInput invalid_json
 */
export function parseJson(body: Buffer): JsonValue {
  return new Parser(decode(body)).parse()
}

function decode(body: Buffer): string {
  if (!isUtf8(body)) throw new InvalidInput('invalid_json', 'The body must be JSON in valid UTF-8.')
  return body.toString('utf8')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON requires these characters to be escaped
const STRING = /"(?:[^"\\\u0000-\u001f]|\\["\\/bfnrt]|\\u[0-9A-Fa-f]{4})*"/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const WORD = /true|false|null/y

class Parser {
  readonly #text: string
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  parse(): JsonValue {
    const value = this.#value()
    if (this.#at < this.#text.length) throw this.#unexpected()
    return value
  }

  /** Reads one value and the space around it. */
  #value(): JsonValue {
    this.#skipSpace()
    const value = this.#bareValue()
    this.#skipSpace()
    return value
  }

  #bareValue(): JsonValue {
    switch (this.#text[this.#at]) {
      case '{':
        return this.#nested(() => this.#members())
      case '[':
        return this.#nested(() => this.#elements())
      case '"':
        return this.#string()
      case 't':
      case 'f':
      case 'n':
        return JSON.parse(this.#take(WORD) ?? this.#fail())
      default:
        return parseNumber(this.#take(NUMBER) ?? this.#fail())
    }
  }

  #nested<Value>(read: () => Value): Value {
    if (++this.#depth > MAX_JSON_DEPTH) {
      throw new InvalidInput('invalid_json', `The body must not nest deeper than ${MAX_JSON_DEPTH} levels.`)
    }
    this.#at++
    const value = read()
    this.#depth--
    return value
  }

  #members(): { [name: string]: JsonValue } {
    const members: { [name: string]: JsonValue } = Object.create(null)
    this.#skipSpace()
    if (this.#skip('}')) return members
    do {
      this.#skipSpace()
      const name = this.#string()
      if (name in members) {
        throw new InvalidInput('invalid_json', 'A JSON object must not have two members of the same name.')
      }
      this.#skipSpace()
      if (!this.#skip(':')) this.#fail()
      members[name] = this.#value()
    } while (this.#skip(','))
    if (!this.#skip('}')) this.#fail()
    return members
  }

  #elements(): JsonValue[] {
    const elements: JsonValue[] = []
    this.#skipSpace()
    if (this.#skip(']')) return elements
    do elements.push(this.#value())
    while (this.#skip(','))
    if (!this.#skip(']')) this.#fail()
    return elements
  }

  #string(): string {
    const token = this.#take(STRING) ?? this.#fail()
    const text: string = token.includes('\\') ? JSON.parse(token) : token.slice(1, -1)
    if (!text.isWellFormed() || text.includes('\0')) {
      throw new InvalidInput('invalid_json', 'A JSON string must be well-formed Unicode without NUL.')
    }
    return text
  }

  #take(token: RegExp): string | undefined {
    const start = this.#at
    token.lastIndex = start
    if (!token.test(this.#text)) return undefined
    this.#at = token.lastIndex
    return this.#text.slice(start, this.#at)
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at++
  }

  #skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  #fail(): never {
    throw this.#unexpected()
  }

  #unexpected(): InvalidInput {
    const fault = this.#text[this.#at] === '\ufeff' ? 'has a byte order mark (U+FEFF)' : 'is not valid'
    const what = this.#at < this.#text.length ? `${fault} at character ${this.#at + 1}` : 'ends too early'
    return new InvalidInput('invalid_json', `The body must be one JSON value; it ${what}.`)
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d
}

/** The most digits that an int64 can have. */
const MAX_DIGITS = 19

/** Works on the digits and never computes a power: a client may send any exponent. */
function parseNumber(source: string): bigint | number {
  if (source.length < MAX_DIGITS && !/[.eE]/.test(source)) return BigInt(source)
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(
    source,
  ) as unknown as [string, string, string, string | undefined, string | undefined]
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.slice(0, endOfSignificant(digits))
  if (significant === '') return 0n
  const zeros = digits.length - significant.length - fraction.length + Number(exponent)
  if (zeros < 0 || significant.length + zeros > MAX_DIGITS) return Number(source)
  const integer = BigInt(`${sign}${significant}${'0'.repeat(zeros)}`)
  return isInt64(integer) ? integer : Number(source)
}

/** Where the trailing zeros begin. A loop, because /0+$/ would start again at each of 60,000 zeros in the middle. */
function endOfSignificant(digits: string): number {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return end
}
