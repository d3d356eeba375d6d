import { type ApiKey, generateKey } from '../api-key.ts'
import { UserError } from '../errors.ts'
import { parseInt64 } from '../int64.ts'
import { parseLabel } from '../label.ts'
import { checkExpiry, hashSecret, hintOf, secretState } from '../secret.ts'
import type { AccountStore, KeyQuery, NewKey } from '../store/accounts.ts'
import { isoTime, optionalIsoTime } from '../time.ts'
import { findAccount } from './accounts.ts'
import { type AdminContext, entryOf } from './context.ts'

/** A key that was just issued: only then is the key itself known. */
export interface IssuedKey extends ApiKey {
  key: string
}

/** One year. */
export const MAX_OVERLAP_SECONDS = 31_536_000
/** One day. */
export const DEFAULT_OVERLAP_SECONDS = 86_400

export async function issueKey(
  context: AdminContext,
  { account, ...given }: { account: string; name?: string | undefined; expiresAt?: number | undefined },
): Promise<IssuedKey> {
  const { store, deployment, now } = context
  const { expiresAt } = given
  const { id } = await findAccount(store, account)
  const name = given.name === undefined ? undefined : parseLabel(given.name, 'A key name')
  checkExpiry(expiresAt, now, 'A key')
  const key = generateKey(deployment)
  const details = { name, hint: hintOf(key), expires: optionalIsoTime(expiresAt) }
  const entry = entryOf(context, 'key.issue', details, id)
  return { ...(await store.createKey(newKey(key, id, name, expiresAt), entry)), key }
}

/** Issues a successor with the same name and expiry. The old key works for another `overlapSeconds`, but never past its own expiry. */
export async function rotateKey(
  context: AdminContext,
  { keyId, overlapSeconds }: { keyId: string; overlapSeconds: number },
): Promise<{ issued: IssuedKey; old: ApiKey }> {
  const { store, deployment, now } = context
  if (!(overlapSeconds >= 0 && overlapSeconds <= MAX_OVERLAP_SECONDS)) {
    const max = MAX_OVERLAP_SECONDS.toLocaleString('en')
    throw new UserError('invalid', `The overlap must be 0 to ${max} seconds (one year).`)
  }
  const old = await findKey(store, keyId)
  const state = secretState(old, now)
  if (state !== 'active') {
    throw new UserError('conflict', `Key ${old.id} is ${state}; only an active key can be rotated.`)
  }
  if (old.replacedBy !== undefined) {
    throw new UserError('conflict', `Key ${old.id} has already been rotated; its successor is key ${old.replacedBy}.`)
  }
  const key = generateKey(deployment)
  const expiresAt = Math.min(old.expiresAt ?? Number.POSITIVE_INFINITY, now + overlapSeconds * 1_000)
  const details = { hint: hintOf(key), 'old key works until': isoTime(expiresAt) }
  const entry = entryOf(context, 'key.rotate', details, old.accountId)
  const successor = await store.replaceKey(
    old.id,
    expiresAt,
    newKey(key, old.accountId, old.name, old.expiresAt),
    entry,
  )
  if (!successor) throw new UserError('conflict', `Key ${old.id} has just been rotated or revoked by someone else.`)
  return { issued: { ...successor, key }, old: { ...old, expiresAt, replacedBy: successor.id } }
}

/** Revokes a key, from its next call. This cannot be undone. */
export async function revokeKey(context: AdminContext, keyId: string): Promise<ApiKey> {
  const { store, now } = context
  const key = await findKey(store, keyId)
  const entry = entryOf(context, 'key.revoke', { name: key.name, hint: key.hint }, key.accountId)
  if (!(await store.revokeKey(key.id, entry))) throw new UserError('conflict', `Key ${key.id} is already revoked.`)
  return { ...key, revokedAt: now }
}

/** @param account its name or id; all accounts if undefined */
export async function listKeys(
  store: AccountStore,
  account?: string,
  query: Omit<KeyQuery, 'accountId'> = {},
): Promise<ApiKey[]> {
  const accountId = account === undefined ? undefined : (await findAccount(store, account)).id
  return store.listKeys({ ...query, accountId })
}

export async function findKey(store: AccountStore, keyId: string): Promise<ApiKey> {
  const id = parseInt64(keyId)
  const key = id === undefined ? undefined : await store.findKey(id)
  if (!key) throw new UserError('not_found', `There is no key with id "${keyId}".`)
  return key
}

function newKey(key: string, accountId: bigint, name: string | undefined, expiresAt: number | undefined): NewKey {
  return { accountId, hash: hashSecret(key), hint: hintOf(key), name, expiresAt }
}
