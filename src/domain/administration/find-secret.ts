import { type ApiKey, isWellFormedKey } from '../api-key.ts'
import { CLAIM_LINK_STATES, type ClaimLink, claimLinkState, isWellFormedClaimSecret } from '../claim-link.ts'
import { DEPLOYMENTS } from '../deployment.ts'
import { invalid, notFound } from '../errors.ts'
import { isWellFormedToken, type OperatorToken } from '../operator.ts'
import { hashSecret, SECRET_STATES, secretState } from '../secret.ts'
import { kindOfSecret, randomPartIn, type SecretKind, secretsIn } from '../secret-forms.ts'
import { isWellFormedSession } from '../session.ts'
import { isWellFormedSignInLink } from '../sign-in-link.ts'
import type { AdminContext } from './context.ts'

/**
 * The states of a secret that someone has found. `mistyped`: it has a typing error, or part of it is missing. `other-deployment`: it is of staging,
 * and this is production, or the other way round. `unknown`: it was deleted, has ended, or never existed.
 */
export const FOUND_STATES = [
  ...new Set([...SECRET_STATES, ...CLAIM_LINK_STATES, 'mistyped', 'other-deployment', 'unknown'] as const),
]

export interface FoundSecret {
  /** Undefined if the prefix is missing, and the rest does not show what it is. */
  kind: SecretKind | undefined
  state: (typeof FOUND_STATES)[number]
  key?: ApiKey
  claimLink?: ClaimLink
  /** The operator token itself, or that of a session or a sign-in link. */
  token?: OperatorToken
  /** When a session or a sign-in link ends, in Unix milliseconds. */
  endsAt?: number
}

type Finder = Pick<AdminContext, 'store' | 'deployment' | 'now'>

/**
 * Whose the secret in a text is. The text may also contain other words, such as a whole link. Nothing of it is kept.
 * @throws UserError if the text does not have exactly one secret
 */
export async function findSecret(finder: Finder, text: string): Promise<FoundSecret> {
  const secret = onlySecretIn(text)
  const kind = secret.startsWith('petstore_') ? kindOfSecret(secret) : undefined
  if (kind === undefined || !isWellFormed(secret)) return { kind, state: 'mistyped' }
  if (kind !== 'session' && !WELL_FORMED[kind](secret, finder.deployment)) return { kind, state: 'other-deployment' }
  return { kind, ...((await FIND[kind](finder, hashSecret(secret))) ?? { state: 'unknown' }) }
}

/** Includes the prefix, even if the text does not have it: the checksum shows which one is missing. */
function onlySecretIn(text: string): string {
  const [secret, other] = secretsIn(text)
  if (other !== undefined) throw invalid('There is more than one secret. Send one at a time.', 'secret')
  const random = secret ?? randomPartIn(text)
  if (random === undefined) {
    throw notFound('This is not an API key, an operator token, a link or the secret of a session.')
  }
  return secret ?? PREFIXES.map(prefix => prefix + random).find(isWellFormed) ?? random
}

const PREFIXES = ['', 'operator_', 'claim_', 'sign_in_'].flatMap(of => [`petstore_${of}live_`, `petstore_${of}test_`])

const WELL_FORMED = {
  key: isWellFormedKey,
  'operator-token': isWellFormedToken,
  'claim-link': isWellFormedClaimSecret,
  'sign-in-link': isWellFormedSignInLink,
} as const

function isWellFormed(secret: string): boolean {
  const ofDeployments = Object.values(WELL_FORMED).some(isIt => DEPLOYMENTS.some(one => isIt(secret, one)))
  return ofDeployments || isWellFormedSession(secret) || /^petstore_csrf_[\w-]{43}$/.test(secret)
}

type Found = Omit<FoundSecret, 'kind'>

const FIND: Readonly<Record<SecretKind, (finder: Finder, hash: string) => Promise<Found | undefined>>> = {
  async key({ store, now }, hash) {
    const caller = await store.findCaller(hash)
    const key = caller && (await store.findKey(caller.keyId))
    return key && { state: secretState(key, now), key }
  },
  async 'operator-token'({ store, now }, hash) {
    const token = await store.findTokenByHash(hash)
    return token && { state: secretState(token, now), token }
  },
  async 'claim-link'({ store, now }, hash) {
    const claimLink = await store.findClaimLinkByHash(hash)
    return claimLink && { state: claimLinkState(claimLink, now), claimLink }
  },
  'sign-in-link': async ({ store, now }, hash) => ending(await store.findSignInLink(hash), now),
  session: async ({ store, now }, hash) => ending(await store.findSession(hash), now),
}

/** A session or a sign-in link ends at its own time, or with its token. */
function ending(found: { token: OperatorToken; expiresAt: number } | undefined, now: number): Found | undefined {
  if (!found) return undefined
  const { token, expiresAt: endsAt } = found
  const ofToken = secretState(token, now)
  return { state: ofToken === 'active' && endsAt <= now ? 'expired' : ofToken, token, endsAt }
}
