import { invalid } from './errors.ts'
import { parseInt64 } from './int64.ts'
import { MEMBER_NAMES, MEMBERS, type MemberName } from './pet.ts'

/** What a word in a file means: a word of the member, or the number or the label of a category. */
export interface ValueMeaning {
  member: MemberName
  word: string
  meaning: string
}

/** The members whose values are words or numbers, not free text. */
export const WORD_MEMBERS = MEMBER_NAMES.filter(name => MEMBERS[name].kind !== 'text')

/** The form in which words are compared: case, blanks around them, and invisible marks, such as those of direction, do not matter. */
export function wordKey(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .trim()
    .replaceAll(/\s+/gu, ' ')
    .toLowerCase()
}

export const MEANING_RULE = `MEMBER:WORD=MEANING, such as status:Adopted=sold; MEMBER must be one of ${WORD_MEMBERS.join(', ')}`

/** @throws UserError */
export function parseMeaning(text: string): ValueMeaning {
  const [, name, word = '', meaning = ''] = /^([^:]*):(.*)=([^=]*)$/su.exec(text) ?? []
  const member = WORD_MEMBERS.find(one => one === name?.trim())
  if (!member || word.trim() === '' || meaning.trim() === '') {
    throw invalid(`${JSON.stringify(text)} is not a meaning; it must be ${MEANING_RULE}.`, 'meanings')
  }
  const known = MEMBERS[member]
  const value = wordKey(meaning)
  if (known.kind === 'word' && known.parse(value) === undefined) {
    throw invalid(`"${meaning.trim()}" is not a ${member}, so "${word.trim()}" cannot mean it.`, 'meanings')
  }
  return { member, word: word.trim(), meaning: known.kind === 'word' ? value : meaning.trim() }
}

/**
 * Parses one meaning for each line.
 * @throws UserError
 */
export function parseMeanings(text: string): ValueMeaning[] {
  return text
    .split(/\r?\n/)
    .filter(line => line.trim() !== '')
    .map(parseMeaning)
}

/** A whole number, also as spreadsheets write it: `7.0` and `7,00` are 7. `1.000` may be a thousand. */
export function parseWholeNumber(text: string): bigint | undefined {
  const [, whole, zeros] = /^(-?\d+)[.,](0+)$/.exec(text) ?? []
  return parseInt64(whole === undefined || zeros === '000' ? text : whole)
}
