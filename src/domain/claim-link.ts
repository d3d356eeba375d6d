import type { KeyTerms } from './api-key.ts'
import { secretsOf } from './secret.ts'

/**
 * A link to a page that issues one API key when its button is pressed for the first time. The key does not exist before that. The store
 * keeps only the SHA-256 of the link's secret. Times are Unix milliseconds.
 */
export interface ClaimLink {
  id: bigint
  accountId: bigint
  accountName: string
  /** While the account is suspended, its links cannot be claimed. */
  accountSuspendedAt: number | undefined
  /** Of the key. */
  terms: KeyTerms
  createdAt: number
  expiresAt: number
  claimedAt: number | undefined
  claimedFrom: string | undefined
  keyId: bigint | undefined
  revokedAt: number | undefined
}

export const CLAIM_LINK_STATES = ['open', 'claimed', 'expired', 'revoked'] as const

export type ClaimLinkState = (typeof CLAIM_LINK_STATES)[number]

export function claimLinkState(
  { claimedAt, revokedAt, expiresAt }: Pick<ClaimLink, 'claimedAt' | 'revokedAt' | 'expiresAt'>,
  now: number,
): ClaimLinkState {
  if (claimedAt !== undefined) return 'claimed'
  if (revokedAt !== undefined) return 'revoked'
  return expiresAt <= now ? 'expired' : 'open'
}

/** One minute. */
export const MIN_CLAIM_LINK_SECONDS = 60
/** 30 days. */
export const MAX_CLAIM_LINK_SECONDS = 2_592_000

export const { generate: generateClaimSecret, isWellFormed: isWellFormedClaimSecret } = secretsOf('petstore_claim_')
