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
    ensureKnown(members)
    return { line, id: checkId(members.id), ...checkNewPet(members) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { line, reason: WORDS.reduce((text, [request, own]) => text.replace(request, own), error.message) }
  }
}

/** What is told of a request's body, as it is told of a line. */
const WORDS: readonly [RegExp, string][] = [
  [/^The body must be one JSON value; it is not valid/, 'it is not valid JSON'],
  [/^The body must be one JSON value; it ends too early/, 'it is not valid JSON: it ends too early'],
  [/^The body/, 'it'],
  [/^A JSON object/, 'an object in it'],
  [/^A JSON string/, 'a string in it'],
]

const MEMBERS = ['name', 'categoryId', 'status', 'id']
/** Characters of an unknown name that are told. */
const LONGEST_NAME = 100

/** What is mistyped must not be lost. */
function ensureKnown(members: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(members).find(name => !MEMBERS.includes(name))
  if (unknown === undefined) return
  const name = JSON.stringify(unknown.slice(0, LONGEST_NAME))
  throw new Refusal('invalid_body', `it has an unknown member ${name}; known are ${MEMBERS.join(', ')}.`)
}

function checkId(id: unknown): bigint | undefined {
  if (id === undefined || (typeof id === 'bigint' && id >= 1n && id <= HIGHEST_IMPORTED_ID)) return id
  throw new Refusal('invalid_body', `id must be an integer from 1 to ${HIGHEST_IMPORTED_ID}.`)
}
