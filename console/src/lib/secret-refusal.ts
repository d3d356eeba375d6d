import { secretIn } from '../../../src/domain/secret-forms.ts'

/** Why a text must not be in an address, where the browser, a proxy or a log would keep it; undefined if it may. The text contains a secret. */
export function secretRefusal(text: string): string | undefined {
  const secret = secretIn(text)
  return secret && `This is ${secret}. It was not sent. To find out whose it is, paste it into a search.`
}
