import { isInt64, parseInt64 } from './int64.ts'
import { MAX_TEXT_LENGTH, TEXT_PATTERN } from './text-pattern.ts'

export const PET_STATUSES = ['available', 'pending', 'sold'] as const

export type PetStatus = (typeof PET_STATUSES)[number]

export const DEFAULT_PET_STATUS: PetStatus = 'available'

/** A member of an animal. A value that an animal may lack is undefined; its key is always there. */
export interface Member<Value> {
  /** `text` is free text, `word` one of a few words. */
  readonly kind: 'text' | 'word' | 'int64'
  /** Whether a store may hold this value. Undefined is valid if an animal may lack the member. */
  isValid(value: unknown): value is Value
  /** The value of a text that is a plain value of this kind; undefined for other texts. */
  parse(text: string): Value | undefined
}

/**
 * The members of an animal, without its id, in the order of its JSON. Types, JSON, versions, checksums, comparisons, SQL and files are
 * derived from them; what describes them in words does not compile while a member is missing.
 */
export const MEMBERS = {
  /** The rule for a new name is stricter: here, a name may be blank. */
  name: text(/^\P{Cc}{1,255}$/u),
  /** Any int64. */
  categoryId: int64(),
  status: oneOf(PET_STATUSES),
} as const

type Members = typeof MEMBERS

export type MemberName = keyof Members

export type NewPet = { [Name in MemberName]: Members[Name] extends Member<infer Value> ? Value : never }

export interface Pet extends NewPet {
  /** From 1, ascending in the order of creation, never reused. */
  id: bigint
}

export const MEMBER_NAMES = Object.keys(MEMBERS) as readonly MemberName[]

export function changedMembers(one: NewPet, other: NewPet): MemberName[] {
  return MEMBER_NAMES.filter(name => one[name] !== other[name])
}

/** Stored checksums are made of the members in this order, so a new member comes last, and animals may lack it. */
const PLACES: Readonly<Record<MemberName, number>> = { categoryId: 1, status: 2, name: 3 }

/**
 * An animal in one line, without its id, for checksums and versions. A member that it lacks adds nothing, so that older checksums stay
 * right; a tab, which no value contains, separates such a member from the name. Built once, for speed.
 */
export const describePet = MEMBER_NAMES.toSorted((one, other) => PLACES[one] - PLACES[other])
  .map((name, index): ((pet: NewPet) => string) => {
    if (MEMBERS[name].isValid(undefined)) return pet => (pet[name] === undefined ? '' : `\t${name} ${pet[name]}`)
    return index === 0 ? pet => `${pet[name]}` : pet => ` ${pet[name]}`
  })
  .reduce((before, format) => pet => before(pet) + format(pet))

/** In code points. */
export const MAX_PET_NAME_LENGTH = MAX_TEXT_LENGTH

export const PET_NAME_PATTERN = TEXT_PATTERN

function text(pattern: RegExp): Member<string> {
  return build('text', value => typeof value === 'string' && pattern.test(value), String)
}

function int64(): Member<bigint> {
  return build('int64', value => typeof value === 'bigint' && isInt64(value), parseInt64)
}

function oneOf<Word extends string>(words: readonly Word[]): Member<Word> {
  return build('word', value => words.includes(value as Word), String)
}

function build<Value>(
  kind: Member<Value>['kind'],
  isValid: (value: unknown) => boolean,
  parse: (text: string) => unknown,
): Member<Value> {
  return {
    kind,
    isValid: isValid as Member<Value>['isValid'],
    parse: given => {
      const value = parse(given)
      return isValid(value) ? (value as Value) : undefined
    },
  }
}
