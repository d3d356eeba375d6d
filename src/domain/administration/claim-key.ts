import { describeTerms, generateKey } from '../api-key.ts'
import { type ClaimLink, claimLinkState, isWellFormedClaimSecret } from '../claim-link.ts'
import type { Deployment } from '../deployment.ts'
import { hashSecret, hintOf } from '../secret.ts'
import type { ClaimLinkStore } from '../store/claim-links.ts'
import { entryOf } from './context.ts'
import type { IssuedKey } from './keys.ts'

export interface Claimant {
  store: ClaimLinkStore
  deployment: Deployment
  /** Unix milliseconds. */
  now: number
  origin: string
}

export type Claimable =
  /** The link does not exist, or no longer does. */
  { state: 'unknown' } | { state: 'open' | 'suspended' | 'claimed' | 'expired' | 'revoked'; link: ClaimLink }

/** Reads the state of a link and changes nothing. Text that cannot be a secret is not looked up. */
export async function examineClaim(
  { store, deployment, now }: Omit<Claimant, 'origin'>,
  secret: string,
): Promise<Claimable> {
  if (!isWellFormedClaimSecret(secret, deployment)) return { state: 'unknown' }
  const link = await store.findClaimLinkByHash(hashSecret(secret))
  if (!link) return { state: 'unknown' }
  const state = claimLinkState(link, now)
  return { state: state === 'open' && link.accountSuspendedAt !== undefined ? 'suspended' : state, link }
}

/** Issues the key of a link to the first claimant. All others get the state of the link. */
export async function claimKey(
  claimant: Claimant,
  secret: string,
): Promise<{ state: 'issued'; issued: IssuedKey } | Claimable> {
  const { store, deployment, now, origin } = claimant
  const claimable = await examineClaim(claimant, secret)
  if (claimable.state !== 'open') return claimable
  const { link } = claimable
  const key = generateKey(deployment)
  const hint = hintOf(key)
  const actor = { name: `claim link ${link.id}`, origin }
  const after = { ...describeTerms(link.terms), hint }
  const entry = entryOf({ actor, now }, 'key.claim', { accountId: link.accountId, after })
  const created = await store.claimKey(link.id, { hash: hashSecret(key), hint }, entry)
  if (created) return { state: 'issued', issued: { ...created, key } }
  // Someone else has just claimed it, or an operator has changed it.
  return examineClaim(claimant, secret)
}
