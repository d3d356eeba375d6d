import { unguard } from './formula-guard.ts'

/**
 * Explains that a new name is the stored one, damaged on its way through a spreadsheet: taken for a number or a date, with codes that the program
 * did not read, with the guard against formulas, read in another encoding than UTF-8, once or twice, or saved in one that lacks some of its letters.
 * Undefined for any other name.
 */
export function explainMisread(given: string, stored: string): string | undefined {
  if (given === stored) return undefined
  const name = JSON.stringify(stored)
  if (isConverted(given, stored)) {
    return `name looks like ${name}, which a spreadsheet took for a number or a date. Export the animals as a workbook instead, or leave the name empty to keep it.`
  }
  if (ESCAPED.test(given) && unescaped(given) === stored) {
    return `name looks like ${name} with characters written as codes. Leave the name empty to keep it.`
  }
  if (unguard(given) === stored) {
    return `name looks like ${name} with the apostrophe of an export for spreadsheets. Import the file with the option that removes it, or leave the name empty to keep it.`
  }
  if (unharmed(given) !== unharmed(stored)) return undefined
  if (isWithoutLetters(given, stored)) {
    return `name looks like ${name} with letters lost. Save the file as CSV UTF-8, which has every letter, or leave the name empty to keep it.`
  }
  if (isMisread(given, stored)) {
    return `name looks like ${name} read in a wrong encoding. Export the animals again and save the file as CSV UTF-8, or leave the name empty to keep it.`
  }
  return undefined
}

/** Whether a name has a character that damage leaves behind. */
export function mayBeMisread(given: string): boolean {
  return /[?'\u0080-\uffff]/.test(given) || NUMBER.test(given) || DATE.test(given) || ESCAPED.test(given)
}

const NUMBER = /^-?\d+(?:[.,]\d+)?(?:E[+-]?\d+)?$/i
const DATE = /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?: \d\d:\d\d)?$/

/** Whether a name is the stored one in the form in which spreadsheets write numbers or dates. */
function isConverted(given: string, stored: string): boolean {
  if (DATE.test(given)) {
    const parts = (date: string) => date.split(/\D/).map(Number).sort().join()
    return DATE.test(stored) ? parts(given) === parts(stored) : /\d/.test(stored)
  }
  if (!NUMBER.test(given)) return false
  // Without its digits, a rounded number or one with a sign of a currency has no letters.
  const isNumber = !Number.isNaN(Number(stored)) || !/\p{L}/u.test(stored)
  const digits = (number: string) => number.replaceAll(/\D/g, '').replaceAll(/^0+|0+$/g, '')
  if (/e/i.test(given)) return isNumber && /\d/.test(stored)
  return isNumber && (Number(given) === Number(stored) || digits(given) === digits(stored))
}

/** How workbooks write a character that XML cannot have, and blanks at the ends of our exports. */
const ESCAPED = /_x[0-9A-F]{4}_/

function unescaped(name: string): string {
  return name.replaceAll(/_x([0-9A-F]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** What no damage changes: ASCII, but a question mark may be in place of another letter. */
function unharmed(name: string): string {
  return name.replaceAll(/[^ ->@-~]/g, '')
}

/** The encodings of spreadsheets that have one byte for each character, the most common first. */
const DECODERS = ['windows-1252', 'macintosh', ...[0, 1, 3, 4, 5, 6, 7, 8].map(page => `windows-125${page}`)].map(
  encoding => new TextDecoder(encoding),
)

/** Whether a name is the UTF-8 of the stored one, read in one of these encodings, once or twice. */
function isMisread(given: string, stored: string): boolean {
  // A misread name has a character for each byte. The last one may be a no-break space that was removed.
  const maxLength = given.length + (/[\u0080-\uffff]$/.test(given) ? 1 : 0)
  if (Buffer.byteLength(stored) > maxLength) return false
  return DECODERS.some(decoder => {
    const once = decoder.decode(Buffer.from(stored))
    return (
      looksLike(given, once) ||
      (Buffer.byteLength(once) <= maxLength && looksLike(given, decoder.decode(Buffer.from(once))))
    )
  })
}

function looksLike(given: string, misread: string): boolean {
  return given === misread || given === misread.trim() || isWithoutLetters(given, misread)
}

/** Whether the texts differ only where a question mark or a replacement character is in place of a letter beyond ASCII. */
function isWithoutLetters(given: string, name: string): boolean {
  if (!/[?\ufffd]/.test(given)) return false
  const marks = [...given]
  // Programs write such a mark for each character, or two for an emoji.
  return [[...name], name.split('')].some(
    letters =>
      marks.length === letters.length &&
      marks.every((mark, at) => mark === letters[at] || (/[?\ufffd]/.test(mark) && (letters[at] as string) > '\x7f')),
  )
}
