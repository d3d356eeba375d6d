import { KEY_SCOPES } from '../domain/api-key.ts'
import { withDetails } from '../domain/audit.ts'
import { type ClaimLink, claimLinkState } from '../domain/claim-link.ts'
import type { ClaimLinkQuery } from '../domain/store/claim-links.ts'
import type { Store } from '../domain/store.ts'
import { accountGone } from './accounts.ts'
import { change, record } from './audit.ts'
import { formatNetworks, insertKey } from './keys.ts'
import { callersWrite, longRead, plainWrite, shortRead } from './operation.ts'
import { remember } from './operator-creations.ts'
import { ID, NETWORKS, oneOf, optional, rowReader, TEXT, TIME } from './row-reader.ts'
import { all, first, type Query, type Row, where } from './statement.ts'
import { read, run } from './write.ts'

const LINK = `SELECT claim_link.id, account_id, account.name AS account_name, suspended_at AS account_suspended_at, claim_link.name,
    scope, networks, key_expires_at, claim_link.created_at, expires_at, claimed_at, claimed_from, key_id, revoked_at
  FROM claim_link JOIN account ON account.id = account_id`

const readLink = rowReader('a claim link', {
  id: ID,
  accountId: ID,
  accountName: TEXT,
  accountSuspendedAt: optional(TIME),
  name: optional(TEXT),
  scope: oneOf(KEY_SCOPES),
  networks: optional(NETWORKS),
  keyExpiresAt: optional(TIME),
  createdAt: TIME,
  expiresAt: TIME,
  claimedAt: optional(TIME),
  claimedFrom: optional(TEXT),
  keyId: optional(ID),
  revokedAt: optional(TIME),
})

function linkOf(row: Row): ClaimLink {
  const { name, scope, networks, keyExpiresAt, ...link } = readLink(row)
  return { ...link, terms: { name, scope, networks, expiresAt: keyExpiresAt } }
}

/** The SQL equivalent of `claimLinkState`; its parameter is the time. */
const STATE = `CASE WHEN claimed_at IS NOT NULL THEN 'claimed' WHEN revoked_at IS NOT NULL THEN 'revoked'
  WHEN expires_at <= ? THEN 'expired' ELSE 'open' END`

function claimLinksFound(query: ClaimLinkQuery = {}): Query<ClaimLink[]> {
  const { accountId, state, beforeId, limit = Number.MAX_SAFE_INTEGER } = query
  const { sql, values } = where([
    ['account_id = ?', accountId],
    [`${STATE} = ?`, state?.at, state?.is],
    ['claim_link.id < ?', beforeId],
  ])
  return all(`${LINK} ${sql} ORDER BY claim_link.id DESC LIMIT ?`, [...values, limit], linkOf)
}

function claimLinkById(id: bigint): Query<ClaimLink | undefined> {
  return first(`${LINK} WHERE claim_link.id = ?`, [id], linkOf)
}

export const claimLinkOperations = {
  listClaimLinks: longRead(claimLinksFound),
  findClaimLink: shortRead(claimLinkById),
  findClaimLinkByHash: shortRead((hash: string) => first(`${LINK} WHERE claim_link.hash = ?`, [hash], linkOf)),
  createClaimLink: plainWrite<Store['createClaimLink']>(function* (wanted, entry) {
    const { hash, accountId, terms, expiresAt } = wanted
    const { name = null, scope, networks, expiresAt: keyExpiresAt = null } = terms
    const [created] = yield* run<{ id: bigint }>(
      `INSERT INTO claim_link (hash, account_id, name, scope, networks, key_expires_at, created_at, expires_at)
       SELECT ?, id, ?, ?, ?, ?, ?, ? FROM account WHERE id = ? RETURNING id`,
      ...[hash, name, scope, formatNetworks(networks), keyExpiresAt, entry.at, expiresAt, accountId],
    )
    if (!created) throw accountGone(accountId)
    yield* record(entry, created.id)
    return yield* remember(entry, (yield* read(claimLinkById(created.id))) as ClaimLink)
  }),
  /** It has the turn of the writes that are not about animals: no other write changes the link between its lookup and its end. */
  claimKey: callersWrite<Store['claimKey']>(function* (linkId, key, entry) {
    const link = yield* read(claimLinkById(linkId))
    if (!link || claimLinkState(link, entry.at) !== 'open' || link.accountSuspendedAt !== undefined) return undefined
    const created = yield* insertKey({ ...key, ...link.terms, accountId: link.accountId }, entry.at)
    if (!created) return undefined
    const sql = 'UPDATE claim_link SET claimed_at = ?, claimed_from = ?, key_id = ? WHERE id = ? RETURNING id'
    yield* run(sql, entry.at, entry.origin, created.id, linkId)
    yield* record(withDetails(entry, { claimLinkId: linkId }), created.id)
    return created
  }),
  revokeClaimLink: plainWrite<Store['revokeClaimLink']>((id, entry) => {
    const isOpen = 'claimed_at IS NULL AND revoked_at IS NULL AND expires_at > ?'
    const sql = `UPDATE claim_link SET revoked_at = ? WHERE id = ? AND ${isOpen} RETURNING id`
    return change(entry, sql, entry.at, id, entry.at)
  }),
}
