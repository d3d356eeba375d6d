/** The forms of our secrets. The console has this file too, so it runs in any browser. */

/** The prefixes of all our secrets, as a regular expression. */
export const SECRET_PREFIX = 'petstore_(?:(?:(?:operator|claim|sign_in)_)?(?:live|test)|session|csrf)_'

const SECRET = new RegExp(`${SECRET_PREFIX}[\\w-]{8}`)

/** Whether a text contains a secret, or most of one, which must not be written anywhere. */
export function containsSecret(text: string): boolean {
  return SECRET.test(text)
}

const BEGUN = new RegExp(`${SECRET_PREFIX}[\\w-]`)
const KINDS = [
  ['petstore_operator_', 'an operator token'],
  ['petstore_claim_', 'a claim link'],
  ['petstore_sign_in_', 'a sign-in link'],
  ['petstore_session_', 'the secret of a session'],
  ['petstore_csrf_', 'the secret of a session'],
] as const
/** As many random characters as a key has, with its checksum. A long word in a name has no digits. */
const RANDOM = /(?![A-Za-z]{36})[0-9A-Za-z]{36}/

/** What a text contains that must not be sent in an address, such as "an API key": a secret, its beginning, or its random part. */
export function secretIn(text: string): string | undefined {
  const prefix = BEGUN.exec(text)?.[0]
  if (prefix) return KINDS.find(([start]) => prefix.startsWith(start))?.[1] ?? 'an API key'
  return RANDOM.test(text) ? 'part of a key or token' : undefined
}
