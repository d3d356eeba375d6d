import { isUtf8 } from 'node:buffer'
import type { Pet } from '../domain/pet.ts'
import { InvalidInput } from '../schema/invalid-input.ts'
import { parseJson } from '../schema/json.ts'
import { formatPet } from '../schema/pet-json.ts'
import { LINE_TOO_LONG, type Line } from './lines.ts'
import { NOT_UTF8, type ReadLine, readPet } from './pet-line.ts'

/** Reads one JSON object from each line, as strictly as the API. Skips empty lines. */
export async function* readNdjson(batches: AsyncIterable<Line[]>): AsyncIterable<ReadLine[]> {
  for await (const lines of batches) yield lines.filter(isFilled).map(readLine)
}

export function formatNdjson(pets: readonly Pet[]): string {
  return pets.map(pet => `${formatPet(pet)}\n`).join('')
}

const SPACE = new Set(Buffer.from(' \t\r'))

function isFilled({ bytes }: Line): boolean {
  return !bytes?.every(byte => SPACE.has(byte))
}

function readLine({ number, bytes }: Line): ReadLine {
  if (!bytes) return { line: number, reason: LINE_TOO_LONG }
  if (!isUtf8(bytes)) return { line: number, reason: NOT_UTF8 }
  return readPet(number, () => {
    const value = parseJson(bytes)
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      throw new InvalidInput('invalid_body', 'it must be a JSON object with the members name and categoryId.')
    }
    return value
  })
}
