import { parseInt64 } from '../domain/int64.ts'
import { findLeftover } from './leftovers.ts'

/** A value is cut off after this many characters. */
export const MAX_VALUE_SHOWN = 100

/**
 * Why the number of a member is refused, with its value and the likely cause. Does not show the range of a 64-bit integer, which would not help
 * people who edit files.
 * @param value as it was read: a string where the file has text
 * @param text as it is written in the file
 */
export function explainNumber(member: string, value: unknown, text: string): string {
  if (!/^(?:0|-?[1-9]\d*)$/.test(text)) {
    const cause = knownCauseOf(text) ?? 'is not one'
    return `${member} must be a whole number, such as 12; ${JSON.stringify(text.slice(0, MAX_VALUE_SHOWN))} ${cause}.`
  }
  // Applies to JSON only: in CSV, which has no types, such text was already read as a number.
  if (typeof value === 'string' && parseInt64(value) !== undefined) return `${member} must not be in quotes.`
  return `${member} is too ${text === '0' || text.startsWith('-') ? 'small' : 'large'}.`
}

function knownCauseOf(text: string): string | undefined {
  return CAUSES.find(([pattern]) => pattern.test(text))?.[1] ?? findLeftover(text)
}

/** Whether a text is neither a number in any form nor something that a spreadsheet has left. */
export function isWord(text: string): boolean {
  return /\p{L}/u.test(text) && knownCauseOf(text.trim()) === undefined
}

/** The same, but it may be a short number or a sign, such as 1 or -, by which a list says the status. */
export function isWordOrCode(text: string): boolean {
  return /^\d{1,3}$/.test(text.trim()) || knownCauseOf(text.trim()) === undefined
}

/** How months begin in the languages of Europe. */
const MONTHS =
  'jan|feb|fév|mar|mär|mrz|mrt|maa|apr|avr|abr|may|mai|mei|maj|mag|jun|jui|giu|jul|lug|aug|aoû|ago|sep|set|oct|okt|ott|nov|dec|dez|dic|déc|gen|ene'

const CAUSES: readonly [pattern: RegExp, cause: string][] = [
  [/^[+-]?0\d+$/, 'has leading zeros'],
  [/^\+\d+$/, 'has a plus sign'],
  [/^['’]\d/, 'has an apostrophe before it'],
  [/^[“”„‟«»‘‚]/, 'has curly quotes around it'],
  [/^\d{1,4}[-./]\s?\d{1,2}[-./]\s?\d{1,4}\.?(?:[\sT].*)?$/, 'looks like a date'],
  [/^\d{1,2}\.\s?\d{1,2}\.$/, 'looks like a date'],
  [/^\d{1,4}\/\d{1,4}$/, 'looks like a date'],
  [/^\d{4}年/, 'looks like a date'],
  [
    new RegExp(`^(?=.*\\d)(?:\\d{1,4}[\\s./-]*)?(?:${MONTHS})\\p{L}*(?:[\\s.,/-]*\\d{1,4}){0,2}$`, 'iu'),
    'looks like a date',
  ],
  [/^\d{1,2}:\d{2}/, 'looks like a time'],
  [
    /^[+-]?\d+(?:[.,]\d*)?e[+-]?\d+$/i,
    'is in scientific notation, in which digits may be lost; in a spreadsheet, format the column as text and enter the number again',
  ],
  [/^[+-]?\d{1,3}(?:[.,'’\s]\d{3})+(?:[.,]\d+)?$/, 'has a thousands or decimal separator'],
  [/^[+-]?\d*[.,]\d+$/, 'has a decimal separator'],
  [/^\p{Nd}+$/u, 'has digits other than 0 to 9'],
]
