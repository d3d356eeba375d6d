import { Mistake } from './errors.ts'
import { spellOut } from './outside-text.ts'
import { bearsSecret } from './secret.ts'

/**
 * What operators call a thing: 1 to 100 code points, all of which can be seen or shape what is seen, in normal form C. So no two names
 * look alike that differ in how their accents are written, or in what nobody sees.
 * @param what how a refusal begins, such as "A key name"
 * @throws Mistake
 */
export function parseLabel(text: string, what: string): string {
  const label = text.normalize('NFC').trim()
  if (
    !/^.{1,100}$/u.test(label) ||
    !/(?!\u2800)[\p{L}\p{N}\p{P}\p{S}]/u.test(label) ||
    spellOut(label) !== label ||
    !label.isWellFormed()
  ) {
    throw new Mistake('invalid', `${what} must have 1 to 100 visible characters and no control characters.`)
  }
  if (bearsSecret(label))
    throw new Mistake('invalid', `${what} must not hold a key or a token: names are shown to everyone.`)
  return label
}
