import { isUtf8 } from 'node:buffer'
import type { Pet } from '../domain/pet.ts'
import { formatPet } from '../schema/format-pet.ts'
import { InvalidInput } from '../schema/invalid-input.ts'
import { parseJson } from '../schema/json.ts'
import { HAS_NUL_BYTES, LINE_TOO_LONG, type Line } from './lines.ts'
import { type Interpretation, interpret, NEW_PETS, type Result } from './pet-line.ts'

/** Reads one JSON object from each line, as strictly as the API. Skips empty lines. */
export async function* readNdjson<Good>(
  batches: AsyncIterable<Line[]>,
  interpretation: Interpretation<Good>,
): AsyncIterable<Result<Good>[]> {
  for await (const lines of batches) yield lines.filter(isFilled).map(line => readLine(line, interpretation))
}

export function formatNdjson(pets: readonly Pet[]): string {
  return pets.map(pet => `${formatPet(pet)}\n`).join('')
}

const NOT_UTF8 = 'it must be valid UTF-8.'

const SPACE = new Set(Buffer.from(' \t\r'))

function isFilled({ bytes }: Line): boolean {
  return !bytes?.every(byte => SPACE.has(byte))
}

function readLine<Good>({ number, bytes }: Line, interpretation: Interpretation<Good>): Result<Good> {
  if (!bytes) return { line: number, reason: LINE_TOO_LONG }
  if (!isUtf8(bytes)) return { line: number, reason: NOT_UTF8 }
  if (bytes.includes(0)) return { line: number, reason: HAS_NUL_BYTES }
  const readMembers = () => {
    const value = parseJson(bytes)
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      throw new InvalidInput(
        'invalid_body',
        `it must be a JSON object with the members ${NEW_PETS.required.join(' and ')}.`,
      )
    }
    return value
  }
  return interpret(number, interpretation, readMembers, () => parseAsWritten(bytes))
}

/** The members of an object, with numbers as they are written. */
export function parseAsWritten(json: Buffer): Record<string, unknown> {
  return JSON.parse(json.toString(), keepNumber as Revive)
}

/** TypeScript's own type lacks the third parameter, which has the source text. */
type Revive = (name: string, value: unknown) => unknown

/** Keeps the source text of a number. One that fits no type, such as 1e999, would otherwise be shown as a different number, or as null. */
function keepNumber(_name: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value
}
