import { Refusal } from '../domain/errors.ts'
import { type BadLine, HIGHEST_IMPORTED_ID, type PetLine } from '../domain/pet-transfer.ts'
import { checkNewPet } from '../http/new-pet.ts'

/** What a line turns out to be. */
export type ReadLine = PetLine | BadLine

export function isBad(line: ReadLine): line is BadLine {
  return 'reason' in line
}

export function isGood(line: ReadLine): line is PetLine {
  return !isBad(line)
}

export const NOT_UTF8 = 'it must be valid UTF-8.'

/** @param read gives the members of the animal in the line, or throws the Refusal of what it cannot read */
export function readPet(line: number, read: () => Readonly<Record<string, unknown>>): ReadLine {
  try {
    const members = read()
    return { line, id: checkId(members.id), ...checkNewPet(members) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // These words are made for a request.
    return { line, reason: error.message.replace(/^The body/, 'it') }
  }
}

function checkId(id: unknown): bigint | undefined {
  if (id === undefined || (typeof id === 'bigint' && id >= 1n && id <= HIGHEST_IMPORTED_ID)) return id
  throw new Refusal('invalid_body', `id must be an integer from 1 to ${HIGHEST_IMPORTED_ID}.`)
}
