import type { ApiKey } from '../domain/api-key.ts'
import { type NewAuditEntry, withDetails } from '../domain/audit.ts'
import type { BanTerm } from '../domain/ban.ts'
import type { NewPet, Pet } from '../domain/pet.ts'
import type { Limits, Plan } from '../domain/plan.ts'
import type { NewKey, NewSession, NewToken } from '../domain/store.ts'
import { ACCOUNT_BEFORE, type AccountBeforeRow, planBefore } from '../sql/account-before.ts'
import { AUDIT_COLUMNS, auditValues } from '../sql/audit-values.ts'
import { keyById } from '../sql/queries.ts'
import { DELETE_SURPLUS_SESSIONS } from '../sql/surplus-sessions.ts'
import type { Ask } from './pool.ts'

/**
 * What operators write: each of these functions in a transaction of its own, which begins with this. So no two meet half-way, and
 * each reads all that the others have committed; most would wait for each other anyway, as they change this row. It is locked
 * before all others: creations and counts never ask for it.
 */
export const OPERATORS_TURN = 'SELECT callers FROM revision FOR UPDATE'

interface IdRow {
  id: bigint
}

export async function addPet(ask: Ask, { name, categoryId, status }: NewPet, entry: NewAuditEntry): Promise<bigint> {
  const values = [[name], [categoryId], [status], [null], [null], [null], [null], [null]]
  return (await recorded(ask, entry, CREATE_PETS, values)) as bigint
}

export async function correctPet(ask: Ask, expected: Pet, corrected: Pet, entry: NewAuditEntry): Promise<boolean> {
  const { id, name, categoryId, status } = expected
  const deed = `UPDATE pet SET name = ?, category_id = ?, status = ?
     WHERE id = ? AND name = ? AND category_id = ? AND status = ? RETURNING id`
  return isRecorded(ask, entry, deed, [
    corrected.name,
    corrected.categoryId,
    corrected.status,
    id,
    name,
    categoryId,
    status,
  ])
}

export async function deletePet(
  ask: Ask,
  { id, name, categoryId, status }: Pet,
  entry: NewAuditEntry,
): Promise<boolean> {
  const deed = 'DELETE FROM pet WHERE id = ? AND name = ? AND category_id = ? AND status = ? RETURNING id'
  return isRecorded(ask, entry, deed, [id, name, categoryId, status])
}

/** The new account's id, or nothing when the name is taken. */
export async function createAccount(
  ask: Ask,
  { name, plan, limits }: { name: string; plan: Plan; limits: Limits },
  entry: NewAuditEntry,
): Promise<bigint | undefined> {
  const [account] = await ask<IdRow>(
    `INSERT INTO account (name, plan, per_minute, per_day, created_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (name) DO NOTHING RETURNING id`,
    [name, plan, limits.perMinute, limits.perDay, entry.at],
  )
  if (!account) return undefined
  await record(ask, { ...entry, accountId: account.id }, account.id)
  return account.id
}

export async function renameAccount(
  ask: Ask,
  id: bigint,
  name: string,
  entry: NewAuditEntry,
): Promise<boolean | 'taken'> {
  const [other] = await ask('SELECT id FROM account WHERE name = ? AND id <> ?', [name, id])
  if (other) return 'taken'
  const before = await findBefore(ask, id)
  if (!before) return false
  const deed = 'UPDATE account SET name = ? WHERE id = ? RETURNING id'
  return isRecorded(ask, withDetails(entry, { was: before.name }), deed, [name, id])
}

export async function setPlan(
  ask: Ask,
  id: bigint,
  plan: Plan,
  limits: Limits,
  entry: NewAuditEntry,
): Promise<boolean> {
  const before = await findBefore(ask, id)
  if (!before) return false
  const deed = 'UPDATE account SET plan = ?, per_minute = ?, per_day = ? WHERE id = ? RETURNING id'
  return isRecorded(ask, withDetails(entry, { was: planBefore(before) }), deed, [
    plan,
    limits.perMinute,
    limits.perDay,
    id,
  ])
}

export async function setSuspended(
  ask: Ask,
  id: bigint,
  suspendedAt: number | undefined,
  entry: NewAuditEntry,
): Promise<boolean> {
  const before = await findBefore(ask, id)
  if (!before) return false
  const deed = `UPDATE account SET suspended_at = ?
     WHERE id = ? AND (suspended_at IS NULL) = ? RETURNING id`
  return isRecorded(ask, withDetails(entry, { name: before.name }), deed, [suspendedAt, id, suspendedAt !== undefined])
}

/** Nobody changes it before this transaction ends: all who could wait for the operators' turn. */
async function findBefore(ask: Ask, id: bigint): Promise<AccountBeforeRow | undefined> {
  const [before] = await ask<AccountBeforeRow>(ACCOUNT_BEFORE, [id])
  return before
}

/** In an order in which nothing refers to what is gone. The account is locked first, as it is by those who save its counts. */
const ACCOUNT_DELETION = [
  'SELECT id FROM account WHERE id = ? FOR UPDATE',
  'DELETE FROM ban WHERE key_id IN (SELECT id FROM api_key WHERE account_id = ?)',
  'DELETE FROM api_key WHERE account_id = ?',
  'DELETE FROM account_count WHERE account_id = ?',
]

/** All of it but the creations that its idempotency keys stand for. */
export async function deleteAccount(ask: Ask, id: bigint, entry: NewAuditEntry): Promise<boolean> {
  const before = await findBefore(ask, id)
  if (!before) return false
  for (const sql of ACCOUNT_DELETION) await ask(sql, [id])
  const deed = 'DELETE FROM account WHERE id = ? RETURNING id'
  return isRecorded(ask, withDetails(entry, { name: before.name }), deed, [id])
}

/** Nothing for an account that is not there any more. */
export async function createKey(ask: Ask, key: NewKey, entry: NewAuditEntry): Promise<ApiKey | undefined> {
  const created = await insertKey(ask, key, entry.at)
  if (created) await record(ask, entry, created.id)
  return created
}

/** The successor; nothing for a key that is revoked or has one. */
export async function replaceKey(
  ask: Ask,
  id: bigint,
  expiresAt: number,
  successor: NewKey,
  entry: NewAuditEntry,
): Promise<ApiKey | undefined> {
  const [replaceable] = await ask<IdRow>(
    'SELECT id FROM api_key WHERE id = ? AND replaced_by IS NULL AND revoked_at IS NULL',
    [id],
  )
  const created = replaceable && (await insertKey(ask, successor, entry.at))
  if (!created) return undefined
  const deed = 'UPDATE api_key SET expires_at = ?, replaced_by = ? WHERE id = ? RETURNING id'
  await recorded(ask, withDetails(entry, { successor: String(created.id) }), deed, [expiresAt, created.id, id])
  return created
}

export async function revokeKey(ask: Ask, id: bigint, entry: NewAuditEntry): Promise<boolean> {
  const deed = 'UPDATE api_key SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING id'
  return isRecorded(ask, entry, deed, [entry.at, id])
}

export async function createBan(ask: Ask, keyId: bigint, { startedAt, endsAt, ordinal }: BanTerm): Promise<bigint> {
  const [ban] = await ask<IdRow>(
    'INSERT INTO ban (key_id, started_at, ends_at, ordinal) VALUES (?, ?, ?, ?) RETURNING id',
    [keyId, startedAt, endsAt, ordinal],
  )
  return (ban as IdRow).id
}

export async function liftBan(ask: Ask, id: bigint, entry: NewAuditEntry): Promise<boolean> {
  const deed = 'UPDATE ban SET lifted_at = ? WHERE id = ? AND lifted_at IS NULL RETURNING id'
  return isRecorded(ask, entry, deed, [entry.at, id])
}

export async function createToken(
  ask: Ask,
  { hash, hint, name, role, expiresAt }: NewToken,
  entry: NewAuditEntry,
): Promise<bigint> {
  const deed = `INSERT INTO operator_token (hash, hint, name, role, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?) RETURNING id`
  return (await recorded(ask, entry, deed, [hash, hint, name, role, entry.at, expiresAt])) as bigint
}

export async function revokeToken(ask: Ask, id: bigint, entry: NewAuditEntry): Promise<boolean> {
  const deed = 'UPDATE operator_token SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING id'
  return isRecorded(ask, entry, deed, [entry.at, id])
}

export async function createSession(
  ask: Ask,
  { hash, tokenId, expiresAt, replaces = [] }: NewSession,
  entry: NewAuditEntry,
): Promise<void> {
  const replaced = await ask('DELETE FROM session WHERE hash = ANY(?) RETURNING hash', [replaces])
  const surplus = await ask(`${DELETE_SURPLUS_SESSIONS} RETURNING hash`, [tokenId, tokenId])
  const ended = replaced.length + surplus.length
  await ask('INSERT INTO session (hash, token_id, expires_at) VALUES (?, ?, ?)', [hash, tokenId, expiresAt])
  await record(ask, withDetails(entry, { ended: ended > 0 ? String(ended) : undefined }), tokenId)
}

export function recordAudit(ask: Ask, entry: NewAuditEntry): Promise<void> {
  return record(ask, entry, undefined)
}

export async function deleteSession(ask: Ask, hash: string, entry: NewAuditEntry): Promise<boolean> {
  const deed = 'DELETE FROM session WHERE hash = ? RETURNING token_id AS id'
  return isRecorded(ask, entry, deed, [hash])
}

const CREATE_PETS = 'SELECT id FROM create_pets(?, ?, ?, ?, ?, ?, ?, ?)'

async function insertKey(
  ask: Ask,
  { accountId, hash, hint, name, expiresAt }: NewKey,
  now: number,
): Promise<ApiKey | undefined> {
  const [key] = await ask<IdRow>(
    `INSERT INTO api_key (account_id, hash, hint, name, created_at, expires_at)
     SELECT id, ?, ?, ?, ?, ? FROM account WHERE id = ? RETURNING id`,
    [hash, hint, name, now, expiresAt, accountId],
  )
  if (!key) return undefined
  const { sql, values, resultOf } = keyById(key.id)
  return resultOf(await ask(sql, values))
}

/**
 * Does a deed of one statement, which gives the id of what it is done to, and writes it down.
 * @returns this id; nothing, and nothing is written, if the deed finds nothing to do
 */
async function recorded(
  ask: Ask,
  entry: NewAuditEntry,
  deed: string,
  values: readonly unknown[],
): Promise<bigint | undefined> {
  const [row] = await ask<IdRow>(
    `WITH deed AS (${deed})
     INSERT INTO audit (${AUDIT_COLUMNS}) SELECT ?, ?, ?, ?, coalesce(?, id), ?, ? FROM deed RETURNING subject_id AS id`,
    [...values, ...auditValues(entry, undefined)],
  )
  return row?.id
}

async function isRecorded(ask: Ask, entry: NewAuditEntry, deed: string, values: readonly unknown[]): Promise<boolean> {
  return (await recorded(ask, entry, deed, values)) !== undefined
}

async function record(ask: Ask, entry: NewAuditEntry, subjectId: bigint | undefined): Promise<void> {
  await ask(`INSERT INTO audit (${AUDIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`, auditValues(entry, subjectId))
}
