import { describeTerms } from '../api-key.ts'
import { type ClaimLink, claimLinkState, generateClaimSecret } from '../claim-link.ts'
import { conflict, invalid } from '../errors.ts'
import { hashSecret } from '../secret.ts'
import type { AccountStore } from '../store/accounts.ts'
import type { ClaimLinkQuery, ClaimLinkStore } from '../store/claim-links.ts'
import { isoTime } from '../time.ts'
import { findAccount } from './accounts.ts'
import { type AdminContext, entryOf, findById } from './context.ts'
import { type GivenTerms, readTerms } from './keys.ts'

/** A newly created link. Its secret is known only at this point. */
export interface IssuedClaimLink extends ClaimLink {
  secret: string
}

interface ClaimLinkWish {
  /** Name or id. */
  account: string
  terms?: GivenTerms
  /** How long the link works: MIN_CLAIM_LINK_SECONDS to MAX_CLAIM_LINK_SECONDS. */
  validForSeconds: number
}

export async function createClaimLink(
  context: AdminContext,
  { account, terms: given = {}, validForSeconds }: ClaimLinkWish,
): Promise<IssuedClaimLink> {
  const { store, deployment, now } = context
  const { id: accountId } = await findAccount(store, account)
  const expiresAt = now + validForSeconds * 1_000
  checkKeyExpiry(given.expiresAt, expiresAt)
  const terms = readTerms(given, now)
  const secret = generateClaimSecret(deployment)
  const { expiresAt: keyExpiresAt, ...others } = describeTerms(terms)
  const after = { ...others, keyExpiresAt, expiresAt: isoTime(expiresAt) }
  const entry = entryOf(context, 'claim-link.create', { accountId, after, unstored: { secret } })
  const link = { hash: hashSecret(secret), accountId, terms, expiresAt }
  return { ...(await store.createClaimLink(link, entry)), secret }
}

export async function revokeClaimLink(context: AdminContext, linkId: string): Promise<ClaimLink> {
  const { store, now } = context
  const link = await findClaimLink(store, linkId)
  const entry = entryOf(context, 'claim-link.revoke', {
    accountId: link.accountId,
    details: { name: link.terms.name },
    before: { revokedAt: null },
    after: { revokedAt: isoTime(now) },
  })
  if (!(await store.revokeClaimLink(link.id, entry))) {
    throw conflict(describeEnd(await findClaimLink(store, linkId), now))
  }
  return { ...link, revokedAt: now }
}

/** @param account its name or id; all accounts if undefined */
export async function listClaimLinks(
  store: AccountStore & ClaimLinkStore,
  account?: string,
  query: Omit<ClaimLinkQuery, 'accountId'> = {},
): Promise<ClaimLink[]> {
  const accountId = account === undefined ? undefined : (await findAccount(store, account)).id
  return store.listClaimLinks({ ...query, accountId })
}

export function findClaimLink(store: ClaimLinkStore, linkId: string): Promise<ClaimLink> {
  return findById('claim link', linkId, id => store.findClaimLink(id))
}

/** The key must expire after the link, or it could already have expired when it is claimed. */
function checkKeyExpiry(keyExpiresAt: number | undefined, linkExpiresAt: number): void {
  if (keyExpiresAt === undefined || keyExpiresAt > linkExpiresAt) return
  throw invalid(`The key must expire after its link, which works until ${isoTime(linkExpiresAt)}.`, 'keyExpiresAt')
}

function describeEnd(link: ClaimLink, now: number): string {
  switch (claimLinkState(link, now)) {
    case 'claimed':
      return `Claim link ${link.id} has already been used; revoke key ${link.keyId} instead.`
    case 'expired':
      return `Claim link ${link.id} has already expired.`
    default:
      return `Claim link ${link.id} is already revoked.`
  }
}
