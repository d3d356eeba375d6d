import { secretIn } from '../../../src/domain/secret-forms.ts'

/**
 * Why a text must not be searched for or be in an address, where the browser, a proxy or a log would keep it; undefined if it may. The text contains
 * a secret.
 */
export function secretRefusal(text: string): string | undefined {
  const secret = secretIn(text)
  if (secret === undefined) return undefined
  const hint = secret === 'an API key' ? ' To find the key, search the keys for its last four characters.' : ''
  return `This is ${secret}. It was not sent.${hint}`
}
