import { invalid } from './errors.ts'
import { containsSecret } from './secret-forms.ts'
import { spellOut } from './untrusted-text.ts'

/**
 * Parses a name that an operator gives: 1 to 100 code points that are visible or shape visible ones, in normal form C. So two names that
 * look the same cannot differ in how accents are encoded, or in invisible characters.
 * @param what the subject of the message, such as "A key name"
 * @throws UserError
 */
export function parseLabel(text: string, what: string): string {
  const label = text.normalize('NFC').trim()
  if (
    !/^.{1,100}$/u.test(label) ||
    !/(?!\u2800)[\p{L}\p{N}\p{P}\p{S}]/u.test(label) ||
    spellOut(label) !== label ||
    !label.isWellFormed()
  ) {
    throw invalid(`${what} must have 1 to 100 visible characters and no control characters.`, 'name')
  }
  if (containsSecret(label)) {
    throw invalid(`${what} must not contain a key or a token; all operators can see names.`, 'name')
  }
  return label
}
