import type { ApiKey } from '../api-key.ts'
import type { NewAuditEntry } from '../audit.ts'
import type { ClaimLink, ClaimLinkState } from '../claim-link.ts'
import type { NewSecret } from './accounts.ts'
import type { NewestPage } from './page.ts'

/** Port: the links that hand over API keys. */
export interface ClaimLinkStore {
  /** @throws UserError when the account no longer exists */
  createClaimLink(link: NewClaimLink, entry: NewAuditEntry): Promise<ClaimLink>
  /** Newest first. May take long, without delaying other calls. */
  listClaimLinks(query?: ClaimLinkQuery): Promise<ClaimLink[]>
  findClaimLink(id: bigint): Promise<ClaimLink | undefined>
  /** Finds a link even if it no longer works. */
  findClaimLinkByHash(hash: string): Promise<ClaimLink | undefined>
  /**
   * Creates the key of a link and ends the link, both or neither. Undefined if the link is not open at the time of the entry, or its account
   * is suspended. There is never a second key, however many claims are concurrent. `entry` is about the key.
   */
  claimKey(linkId: bigint, key: NewSecret, entry: NewAuditEntry): Promise<ApiKey | undefined>
  /** False unless the link is open at the time of the entry. */
  revokeClaimLink(id: bigint, entry: NewAuditEntry): Promise<boolean>
}

export type NewClaimLink = Pick<ClaimLink, 'accountId' | 'terms' | 'expiresAt'> & { hash: string }

export interface ClaimLinkQuery extends Partial<NewestPage> {
  accountId?: bigint | undefined
  state?: { is: ClaimLinkState; at: number } | undefined
}
