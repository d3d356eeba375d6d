import { type ApiKey, describeTerms, generateKey, type KeyScope, type KeyTerms } from '../api-key.ts'
import { conflict } from '../errors.ts'
import { parseLabel } from '../label.ts'
import { parseNetworks } from '../networks.ts'
import { checkExpiry, hashSecret, hintOf, secretState } from '../secret.ts'
import type { AccountStore, KeyChange, KeyQuery, NewSecret } from '../store/accounts.ts'
import { isoTime } from '../time.ts'
import { findAccount } from './accounts.ts'
import { type AdminContext, entryOf, findById } from './context.ts'

/** A newly issued key. The key itself is known only at this point. */
export interface IssuedKey extends ApiKey {
  key: string
}

/** One year. */
export const MAX_OVERLAP_SECONDS = 31_536_000
/** One day. */
export const DEFAULT_OVERLAP_SECONDS = 86_400

export async function issueKey(
  context: AdminContext,
  { account, ...given }: GivenTerms & { account: string },
): Promise<IssuedKey> {
  const { store, deployment, now } = context
  const { id } = await findAccount(store, account)
  const terms = readTerms(given, now)
  const key = generateKey(deployment)
  const after = { ...describeTerms(terms), hint: hintOf(key) }
  const entry = entryOf(context, 'key.issue', { accountId: id, after, unstored: { key } })
  return { ...(await store.createKey({ accountId: id, ...secretOf(key), ...terms }, entry)), key }
}

/** Effective from the next call of the key. */
export async function changeKey(context: AdminContext, keyId: string, given: KeyChange): Promise<ApiKey> {
  const { store, now } = context
  const key = await findKey(store, keyId)
  const state = secretState(key, now)
  if (state !== 'active') throw conflict(`Key ${key.id} is ${state}; only an active key can be changed.`)
  const change = {
    ...given,
    name: typeof given.name === 'string' ? parseName(given.name) : given.name,
    networks: given.networks && parseNetworks(given.networks),
  }
  const entry = entryOf(context, 'key.change', {
    accountId: key.accountId,
    details: { name: key.name, hint: key.hint },
  })
  const changed = await store.changeKey(key.id, change, entry)
  if (!changed) throw conflict(`Key ${key.id} has just been revoked by someone else.`)
  return changed
}

/** Issues a successor on the same terms. The old key works for another `overlapSeconds`, but never past its own expiry. */
export async function rotateKey(
  context: AdminContext,
  { keyId, overlapSeconds }: { keyId: string; overlapSeconds: number },
): Promise<{ issued: IssuedKey; old: ApiKey }> {
  const { store, deployment, now } = context
  const old = await findKey(store, keyId)
  const state = secretState(old, now)
  if (state !== 'active') throw conflict(`Key ${old.id} is ${state}; only an active key can be rotated.`)
  if (old.replacedBy !== undefined) {
    throw conflict(`Key ${old.id} has already been rotated; its successor is key ${old.replacedBy}.`)
  }
  const key = generateKey(deployment)
  const expiresAt = Math.min(old.expiresAt ?? Number.POSITIVE_INFINITY, now + overlapSeconds * 1_000)
  const entry = entryOf(context, 'key.rotate', {
    accountId: old.accountId,
    details: { name: old.name, hint: old.hint, successorHint: hintOf(key) },
    after: { expiresAt: isoTime(expiresAt) },
    unstored: { key },
  })
  const successor = await store.replaceKey(old.id, expiresAt, secretOf(key), entry)
  if (!successor) throw conflict(`Key ${old.id} has just been rotated or revoked by someone else.`)
  return { issued: { ...successor, key }, old: { ...old, expiresAt, replacedBy: successor.id } }
}

/** Revokes a key, effective from its next call. This cannot be undone. */
export async function revokeKey(context: AdminContext, keyId: string): Promise<ApiKey> {
  const { store, now } = context
  const key = await findKey(store, keyId)
  const entry = entryOf(context, 'key.revoke', {
    accountId: key.accountId,
    details: { name: key.name, hint: key.hint },
    before: { revokedAt: null },
    after: { revokedAt: isoTime(now) },
  })
  if (!(await store.revokeKey(key.id, entry))) throw conflict(`Key ${key.id} is already revoked.`)
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

export function findKey(store: AccountStore, keyId: string): Promise<ApiKey> {
  return findById('key', keyId, id => store.findKey(id))
}

export interface GivenTerms {
  name?: string | undefined
  /** Default: `read-write`. */
  scope?: KeyScope | undefined
  /** IP addresses and CIDR ranges. */
  networks?: readonly string[] | undefined
  expiresAt?: number | undefined
}

/** @throws UserError */
export function readTerms({ name, scope = 'read-write', networks, expiresAt }: GivenTerms, now: number): KeyTerms {
  checkExpiry(expiresAt, now, 'A key')
  return {
    name: name === undefined ? undefined : parseName(name),
    scope,
    networks: networks && parseNetworks(networks),
    expiresAt,
  }
}

function parseName(name: string): string {
  return parseLabel(name, 'A key name')
}

function secretOf(key: string): NewSecret {
  return { hash: hashSecret(key), hint: hintOf(key) }
}
