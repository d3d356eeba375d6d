import { formatNumber } from './format-number.ts'
import { wordKey } from './value-meaning.ts'

/** A line that cannot be imported. */
export interface BadLine {
  line: number
  reason: string
  /** The invalid members, if that is what is wrong with the line. */
  problems?: readonly LineProblem[]
  /** The id of the animal in its source, if it is known. */
  externalId?: string | undefined
}

export interface LineProblem {
  member: string
  /** The value in the line, truncated if it is long; undefined if it is absent. */
  value: string | undefined
  reason: string
  /** The value is a word that could be given a meaning. */
  isUnknown?: boolean
  /** It could become a new category. */
  couldBeNew?: boolean
}

/** A word whose meaning is not known, and the lines that have it. */
export interface UnknownValue {
  member: string
  /** As the first of these lines has it. */
  value: string
  couldBeNew?: boolean
  count: number
  firstLines: number[]
}

/** A reason, and the lines that have it. A line with several problems has several reasons. */
export interface BadLineReason {
  /** What the reasons of these lines have in common: text in quotes and numbers that differ are replaced by an ellipsis. */
  reason: string
  /** The reason of the first line, in full, where these lines are why a file was refused. Reports of earlier versions lack it. */
  example?: string
  count: number
  firstLines: number[]
}

/** If there are more bad lines than this, only their number is kept. */
export const MAX_BAD_LINES_KEPT = 1_000
/** Far more than there are different reasons. */
export const MAX_REASONS = 100
export const FIRST_LINES = 3
/** If there are more, only the first of them are listed. */
export const MAX_UNKNOWN_VALUES = 1_000

export const OTHER_REASONS = 'Other reasons.'

/** Counts the bad lines of a file. Its size does not depend on how many there are. */
export class BadLines {
  count = 0
  readonly first: BadLine[] = []
  /** By what is left of a reason without quoted text and numbers. */
  readonly #reasons = new Map<string, BadLineReason>()
  readonly #unknown = new Map<string, UnknownValue>()

  /** @param count if there are more lines than these, their number; the others have the reason of the last one */
  add(lines: readonly BadLine[], count = lines.length): void {
    this.count += count
    this.first.push(...lines.slice(0, MAX_BAD_LINES_KEPT - this.first.length))
    let last: BadLineReason | undefined
    for (const { line, reason, problems = [] } of lines) {
      for (const one of problems.length > 0 ? problems : [{ reason }]) last = this.#count(line, one.reason)
      for (const one of problems) if (one.isUnknown && one.value !== undefined) this.#countUnknown(line, one, one.value)
    }
    if (last) last.count += count - lines.length
  }

  /** The most common first. */
  get reasons(): BadLineReason[] {
    return [...this.#reasons.values()].sort((one, other) => other.count - one.count)
  }

  get unknownValues(): UnknownValue[] {
    return [...this.#unknown.values()].sort((one, other) => other.count - one.count)
  }

  #countUnknown(line: number, { member, couldBeNew }: LineProblem, value: string): void {
    const key = `${member}:${wordKey(value)}`
    if (this.#unknown.size >= MAX_UNKNOWN_VALUES && !this.#unknown.has(key)) return
    const first = { member, value, ...(couldBeNew && { couldBeNew }), count: 0, firstLines: [] }
    addLine(this.#unknown.getOrInsert(key, first), line)
  }

  #count(line: number, reason: string, example = reason): BadLineReason {
    const key = reason.replaceAll(VARYING, ELLIPSIS)
    if (this.#reasons.size >= MAX_REASONS && reason !== OTHER_REASONS && !this.#reasons.has(key))
      return this.#count(line, OTHER_REASONS, example)
    const group = this.#reasons.getOrInsert(key, { reason, example, count: 0, firstLines: [] })
    group.reason = inCommon(group.reason, reason)
    addLine(group, line)
    return group
  }
}

/** Why a file with bad lines is refused; the reasons of the lines say the rest. */
export function refuseBadLines(count: number): string {
  return `${count === 1 ? '1 line is' : `${formatNumber(count)} lines are`} invalid.`
}

/** A refusal where the reasons are not listed. */
export function withExample(refusal: string, [most]: readonly BadLineReason[]): string {
  return most?.example === undefined ? refusal : `${refusal} Line ${most.firstLines[0]}: ${most.example}`
}

function addLine(group: { count: number; firstLines: number[] }, line: number): void {
  group.count += 1
  if (group.firstLines.length < FIRST_LINES) group.firstLines.push(line)
}

const ELLIPSIS = '…'

/** The parts of a reason that may differ between lines: a text in quotes, and a number. */
const VARYING = /("(?:[^"\\]|\\.)*"|-?\d+|…)/g

/** @param other differs at most in its varying parts */
function inCommon(one: string, other: string): string {
  if (one === other) return one
  const parts = other.split(VARYING)
  return one
    .split(VARYING)
    .map((part, index) => (part === parts[index] ? part : ELLIPSIS))
    .join('')
}
