import { escapeUnits } from './untrusted-text.ts'

/**
 * Keeps text in a CSV file from being read as a formula, whichever of the usual separators the reader of the file takes: the text may itself
 * contain a separator or a line end, and what follows then begins a cell. The guard is an apostrophe before the first character of such a cell, or at the
 * end of a text whose last cell is empty, because the delimiter of the file may follow, which may be a tab. See OWASP, CSV Injection.
 */
export function guard(text: string): string {
  return text.replaceAll(UNGUARDED, "'")
}

/** Removes the guard. Returns the text that `guard` was given, byte for byte. */
export function unguard(text: string): string {
  return text.replaceAll(GUARDED, '')
}

/** The guard inside JSON, whose meaning must not change. */
export function guardJson(json: string): string {
  return json.replaceAll(FORMULA, escapeUnits)
}

/** The first character of a formula, also in full width. Some programs skip a tab or a carriage return before a formula. */
const FIRST = String.raw`[=+@\t\r\uff0b\uff0d\uff1d\uff20-]`
const SEPARATOR = String.raw`[,;|\t\r\n\v\f\u0085\u2028\u2029]`
/** What programs may ignore at the start of a cell: quotes, blanks and invisible characters. An apostrophe may look like a guard. */
const IGNORED = String.raw`["'\p{Zs}\p{Cc}\p{Cf}]*`

const FORMULA = new RegExp(`${FIRST}(?<=(?:^|${SEPARATOR})${IGNORED}.)`, 'gsu')
const UNGUARDED = new RegExp(`(?=${FIRST})(?<=(?:^|${SEPARATOR})${IGNORED})|$(?<=${SEPARATOR}${IGNORED})`, 'gu')
const GUARDED = new RegExp(`'(?=${FIRST})(?<=(?:^|${SEPARATOR})${IGNORED})|'$(?<=${SEPARATOR}${IGNORED})`, 'gu')
