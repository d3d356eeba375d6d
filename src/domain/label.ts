import { Mistake } from './errors.ts'
import { bearsSecret } from './secret.ts'

/**
 * What operators call a thing: 1 to 100 code points without control characters.
 * @param what how a refusal begins, such as "A key name"
 * @throws Mistake
 */
export function parseLabel(text: string, what: string): string {
  const label = text.trim()
  if (!/^\P{Cc}{1,100}$/u.test(label) || !label.isWellFormed()) {
    throw new Mistake('invalid', `${what} has 1 to 100 characters and no control characters.`)
  }
  if (bearsSecret(label))
    throw new Mistake('invalid', `${what} must not hold a key or a token: names are shown to everyone.`)
  return label
}
