/** The forms of our secrets. The console has this file too, so it runs in any browser. */

/** The prefixes of all our secrets, as a regular expression. */
export const SECRET_PREFIX = 'petstore_(?:(?:(?:operator|claim|sign_in)_)?(?:live|test)|session|csrf)_'

const SECRET = new RegExp(`${SECRET_PREFIX}[\\w-]{8}`)

/** Whether a text contains a secret, or most of one, which must not be written anywhere. */
export function containsSecret(text: string): boolean {
  return SECRET.test(text)
}

/** What a secret is for. A CSRF token belongs to a session. */
export const SECRET_KINDS = ['key', 'operator-token', 'claim-link', 'sign-in-link', 'session'] as const

export type SecretKind = (typeof SECRET_KINDS)[number]

export const SECRET_NAMES: Readonly<Record<SecretKind, string>> = {
  key: 'an API key',
  'operator-token': 'an operator token',
  'claim-link': 'a claim link',
  'sign-in-link': 'a sign-in link',
  session: 'the secret of a session',
}

const KINDS: readonly (readonly [prefix: string, kind: SecretKind])[] = [
  ['petstore_operator_', 'operator-token'],
  ['petstore_claim_', 'claim-link'],
  ['petstore_sign_in_', 'sign-in-link'],
  ['petstore_session_', 'session'],
  ['petstore_csrf_', 'session'],
]

/** The kind of a text that begins with the prefix of a secret. */
export function kindOfSecret(secret: string): SecretKind {
  return KINDS.find(([prefix]) => secret.startsWith(prefix))?.[1] ?? 'key'
}

const BEGUN = new RegExp(`${SECRET_PREFIX}[\\w-]+`, 'g')
/** As many random characters as a key has, with its checksum. A long word in a name has no digits. */
const RANDOM = /(?![A-Za-z]{36})[0-9A-Za-z]{36}/

/** The secrets in a text, whole or cut, each once. */
export function secretsIn(text: string): string[] {
  return [...new Set(text.match(BEGUN))]
}

/** The first part of a text that may be the random characters of a key, token or link, with their checksum but without its prefix. */
export function randomPartIn(text: string): string | undefined {
  return RANDOM.exec(text)?.[0]
}

/** What a text contains that must not be sent in an address, such as "an API key": a secret, its beginning, or its random part. */
export function secretIn(text: string): string | undefined {
  const [secret] = secretsIn(text)
  if (secret) return SECRET_NAMES[kindOfSecret(secret)]
  return RANDOM.test(text) ? 'part of a key or token' : undefined
}
