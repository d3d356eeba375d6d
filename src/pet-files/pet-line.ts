import type { BadLine, LineProblem } from '../domain/bad-lines.ts'
import { MEMBER_NAMES } from '../domain/pet.ts'
import { kindOf, PET_MEMBERS, type PetMember } from '../domain/pet-files.ts'
import { MAX_IMPORTED_ID, type PetChangeLine, type PetLine, type SyncLine } from '../domain/pet-transfer.ts'
import { formatJson } from '../schema/exact-json.ts'
import { InvalidInput, joinSentences } from '../schema/invalid-input.ts'
import { checkNewPet, checkPetChange } from '../schema/pet-json.ts'
import { explainNumber, MAX_VALUE_SHOWN } from './explain-number.ts'
import { findLostId } from './leftovers.ts'

export type Result<Good> = Good | BadLine

type Members = Readonly<Record<string, unknown>>

export interface Interpretation<Good> {
  required: readonly PetMember[]
  /** Whether ids are texts of other software. */
  isFeed?: boolean
  /** @throws InvalidInput */
  parse(line: number, members: Members): Good
  /** Treats a line whose name is probably not a name. */
  doubt(good: Good, bad: BadLine): Result<Good>
}

export const NEW_PETS: Interpretation<PetLine> = {
  required: ['name', 'categoryId'],
  parse: (line, members) => ({ line, id: checkId(members.id), ...checkNewPet(members) }),
  doubt: (_, bad) => bad,
}

/** Each line has the id of an animal, and the members to change. */
export const PET_CHANGES: Interpretation<PetChangeLine> = {
  required: ['id'],
  parse(line, members) {
    const id = checkId(members.id)
    if (id === undefined) throw invalid('id', 'id is missing.')
    return { line, id, change: checkPetChange(members) }
  },
  doubt: (good, doubt) => ({ ...good, doubt }),
}

/** Each line is an animal with its id in other software. */
export const FEED_LINES: Interpretation<SyncLine> = {
  required: ['id', 'name', 'categoryId'],
  isFeed: true,
  parse(line, members) {
    const { status, ...pet } = checkNewPet(members)
    const change = { ...pet, status: members.status === undefined ? undefined : status }
    return { line, externalId: checkExternalId(members.id), change }
  },
  doubt: (_, bad) => bad,
}

export function isBad<Good>(line: Result<Good>): line is BadLine {
  return typeof line === 'object' && line !== null && 'reason' in line
}

export function isGood<Good>(line: Result<Good>): line is Good {
  return !isBad(line)
}

/**
 * @param read returns the members of the animal in the line, or throws InvalidInput
 * @param readAsWritten returns the same members, with numbers as written in the file, for reports
 */
export function interpret<Good>(
  line: number,
  { parse }: Interpretation<Good>,
  read: () => Members,
  readAsWritten?: () => Members,
): Result<Good> {
  let members: Members = {}
  try {
    members = read()
    ensureKnown(members)
    return parse(line, members)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    const shown = error.problems.length > 0 && readAsWritten ? readAsWritten() : members
    const problems = error.problems.map(({ member, message }) => problemOf(member, shown, message))
    if (problems.length > 0) return badLine(line, problems)
    // These messages are written for request bodies. Here, the reason follows a line number.
    return { line, reason: error.message.replace(/^The body/, 'it').replace(/^A JSON/, 'a JSON') }
  }
}

/** A line with invalid members. */
export function badLine(line: number, problems: readonly LineProblem[]): BadLine {
  return { line, reason: joinSentences(problems.map(({ reason }) => reason)), problems }
}

function problemOf(member: string, members: Members, message: string): LineProblem {
  const value = Object.hasOwn(members, member) ? members[member] : undefined
  if (value === undefined && NAMES.includes(member)) return { member, value, reason: `${member} is missing.` }
  const text = value === undefined || typeof value === 'string' ? value : formatJson(value)
  return {
    member,
    value: text?.slice(0, MAX_VALUE_SHOWN),
    reason: text === undefined ? message : explain(member, value, text, message),
  }
}

function explain(member: string, value: unknown, text: string, message: string): string {
  if (NUMBERS.includes(member)) return explainNumber(member, value, text)
  // A spreadsheet has one in its cell after Alt+Enter.
  const hasLineBreak = member === 'name' && /[\r\n]/.test(text)
  return hasLineBreak ? 'name must be on one line; it has a line break.' : message
}

const NAMES: readonly string[] = [...MEMBER_NAMES, 'id']
const NUMBERS: readonly string[] = PET_MEMBERS.filter(member => kindOf(member) === 'int64')
/** An unknown name is cut off after this many characters. */
const MAX_NAME_SHOWN = 100

/** A misspelled name must not be ignored. */
function ensureKnown(members: Members): void {
  const unknown = Object.keys(members).find(name => !NAMES.includes(name))
  if (unknown === undefined) return
  const name = JSON.stringify(unknown.slice(0, MAX_NAME_SHOWN))
  throw invalid(unknown.slice(0, MAX_NAME_SHOWN), `unknown member ${name}; expected ${NAMES.join(', ')}.`)
}

function checkId(id: unknown): bigint | undefined {
  if (id === undefined || (typeof id === 'bigint' && id >= 1n && id <= MAX_IMPORTED_ID)) return id
  throw invalid('id', `id must be an integer from 1 to ${MAX_IMPORTED_ID}.`)
}

const EXTERNAL_ID = /^\P{Cc}{1,255}$/u

function checkExternalId(id: unknown): string {
  if (id === undefined) throw invalid('id', 'id is missing.')
  if (typeof id !== 'string' || !EXTERNAL_ID.test(id))
    throw notAnId('an id with more than 255 characters, or with control characters')
  const lost = findLostId(id)
  if (lost !== undefined) throw notAnId(`the id ${JSON.stringify(id)}, which ${lost}`)
  return id
}

function notAnId(what: string): InvalidInput {
  return new InvalidInput('invalid_body', `it has ${what}.`)
}

function invalid(member: string, message: string): InvalidInput {
  return new InvalidInput('invalid_body', message, [{ member, message }])
}
