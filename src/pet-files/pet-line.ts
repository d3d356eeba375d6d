import { type BadLine, MAX_IMPORTED_ID, type PetLine } from '../domain/pet-transfer.ts'
import { InvalidInput } from '../schema/invalid-input.ts'
import { checkNewPet } from '../schema/pet-json.ts'

export type ReadLine = PetLine | BadLine

export function isBad(line: ReadLine): line is BadLine {
  return 'reason' in line
}

export function isGood(line: ReadLine): line is PetLine {
  return !isBad(line)
}

export const NOT_UTF8 = 'it must be valid UTF-8.'

/** @param read returns the members of the animal in the line, or throws InvalidInput */
export function readPet(line: number, read: () => Readonly<Record<string, unknown>>): ReadLine {
  try {
    const members = read()
    ensureKnown(members)
    return { line, id: checkId(members.id), ...checkNewPet(members) }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    // The checks are those of a request. Here, a reason follows the number of the line.
    return { line, reason: error.message.replace(/^The body/, 'it').replace(/^A JSON/, 'a JSON') }
  }
}

const MEMBERS = ['name', 'categoryId', 'status', 'id']
/** An unknown name is cut off after this many characters. */
const MAX_NAME_SHOWN = 100

/** A misspelled name must not be ignored. */
function ensureKnown(members: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(members).find(name => !MEMBERS.includes(name))
  if (unknown === undefined) return
  const name = JSON.stringify(unknown.slice(0, MAX_NAME_SHOWN))
  throw new InvalidInput('invalid_body', `unknown member ${name}; expected ${MEMBERS.join(', ')}.`)
}

function checkId(id: unknown): bigint | undefined {
  if (id === undefined || (typeof id === 'bigint' && id >= 1n && id <= MAX_IMPORTED_ID)) return id
  throw new InvalidInput('invalid_body', `id must be an integer from 1 to ${MAX_IMPORTED_ID}.`)
}
