import type { DatabaseSync } from 'node:sqlite'
import { type NewAuditEntry, withDetails } from '../domain/audit.ts'
import type { BanTerm } from '../domain/ban.ts'
import { IDEMPOTENCY_MS, type IdempotentRequest } from '../domain/idempotency.ts'
import type { NewPet, Pet, PetStatus } from '../domain/pet.ts'
import type { Limits, Plan } from '../domain/plan.ts'
import type { AccountCounts, Creation, NewKey, NewSession, NewToken } from '../domain/store.ts'
import type { KeyUsage } from '../domain/usage.ts'
import { ACCOUNT_BEFORE, type AccountBeforeRow, planBefore } from '../sql/account-before.ts'
import { type PetRow, petOf } from '../sql/rows.ts'
import { DELETE_SURPLUS_SESSIONS } from '../sql/surplus-sessions.ts'
import { buildAudit } from './audit.ts'

/** Every write of the store, by name. They run on the writer's thread, inside a transaction that others share. */
export type Writes = ReturnType<typeof buildWrites>

/** One write, as it is sent to the writer's thread: its name and its arguments. */
export type Write = [name: keyof Writes, ...args: unknown[]]

type RecordDeed = ReturnType<typeof buildAudit>

/** What an operator's write that finds nothing to change gives instead of its result. */
type OrNothing<Result> = Result | undefined

export function buildWrites(database: DatabaseSync) {
  const record = buildAudit(database)
  return {
    ...petWrites(database, record),
    ...accountWrites(database, record),
    ...keyWrites(database, record),
    ...operatorWrites(database, record),
    ...countWrites(database),
    ...upkeep(database),
  }
}

interface CreationRow extends PetRow {
  fingerprint: string
}

function petWrites(database: DatabaseSync, record: RecordDeed) {
  const insertPet = database.prepare(
    'INSERT INTO pet (name, category_id, status, checksum) VALUES (?1, ?2, ?3, pet_checksum(?1, ?2, ?3))',
  )
  const findCreation = database.prepare(
    `SELECT fingerprint, pet_id AS id, name, category_id, status FROM idempotent_creation
     WHERE account_id = ? AND key = ? AND created_at > ?`,
  )
  const insertCreation = database.prepare(
    `INSERT OR REPLACE INTO idempotent_creation
       (account_id, key, fingerprint, created_at, pet_id, name, category_id, status) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const updatePet = database.prepare(
    `UPDATE pet SET name = ?1, category_id = ?2, status = ?3, checksum = pet_checksum(?1, ?2, ?3)
     WHERE id = ? AND name = ? AND category_id = ? AND status = ?`,
  )
  const deletePet = database.prepare('DELETE FROM pet WHERE id = ? AND name = ? AND category_id = ? AND status = ?')

  function createPet(name: string, categoryId: bigint, status: PetStatus): bigint {
    return insertPet.run(name, categoryId, status).lastInsertRowid as bigint
  }

  return {
    /** The new animal's id. Takes and gives no objects: this is the write that there are many of. */
    createPet,
    createPetOnce(pet: NewPet, now: number, { accountId, key, fingerprint }: IdempotentRequest): Creation {
      const earlier = findCreation.get(accountId, key, now - IDEMPOTENCY_MS) as CreationRow | undefined
      if (earlier && earlier.fingerprint !== fingerprint) return { outcome: 'mismatch' }
      if (earlier) return { outcome: 'replayed', pet: petOf(earlier) }
      const { name, categoryId, status } = pet
      const id = createPet(name, categoryId, status)
      insertCreation.run(accountId, key, fingerprint, now, id, name, categoryId, status)
      return { outcome: 'created', pet: { id, name, categoryId, status } }
    },
    addPet({ name, categoryId, status }: NewPet, entry: NewAuditEntry): bigint {
      const id = createPet(name, categoryId, status)
      record(entry, id)
      return id
    },
    correctPet(expected: Pet, corrected: Pet, entry: NewAuditEntry): boolean {
      const { id, name, categoryId, status } = expected
      const { name: newName, categoryId: newCategoryId, status: newStatus } = corrected
      const { changes } = updatePet.run(newName, newCategoryId, newStatus, id, name, categoryId, status)
      return changes > 0n && record(entry, id)
    },
    deletePet({ id, name, categoryId, status }: Pet, entry: NewAuditEntry): boolean {
      return deletePet.run(id, name, categoryId, status).changes > 0n && record(entry, id)
    },
  }
}

function accountWrites(database: DatabaseSync, record: RecordDeed) {
  const insertAccount = database.prepare(
    'INSERT INTO account (name, plan, per_minute, per_day, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING',
  )
  const findBefore = database.prepare(ACCOUNT_BEFORE)
  const findNamed = database.prepare('SELECT id FROM account WHERE name = ? AND id <> ?')
  const updateName = database.prepare('UPDATE account SET name = ? WHERE id = ?')
  const updatePlan = database.prepare('UPDATE account SET plan = ?, per_minute = ?, per_day = ? WHERE id = ?')
  const suspend = database.prepare('UPDATE account SET suspended_at = ? WHERE id = ? AND suspended_at IS NULL')
  const resume = database.prepare('UPDATE account SET suspended_at = NULL WHERE id = ? AND suspended_at IS NOT NULL')
  /** In an order in which nothing refers to what is gone. */
  const deletions = [
    'DELETE FROM ban WHERE key_id IN (SELECT id FROM api_key WHERE account_id = ?)',
    'DELETE FROM api_key WHERE account_id = ?',
    'DELETE FROM account_count WHERE account_id = ?',
    'DELETE FROM idempotent_creation WHERE account_id = ?',
    'DELETE FROM account WHERE id = ?',
  ].map(sql => database.prepare(sql))

  /** @param run makes the change, and gives how many accounts it has changed */
  function change(id: bigint, run: () => bigint, entryOf: (before: AccountBeforeRow) => NewAuditEntry): boolean {
    const before = findBefore.get(id) as AccountBeforeRow | undefined
    return before !== undefined && run() > 0n && record(entryOf(before), id)
  }

  return {
    /** The new account's id, or nothing when the name is taken. */
    createAccount(
      { name, plan, limits }: { name: string; plan: Plan; limits: Limits },
      entry: NewAuditEntry,
    ): OrNothing<bigint> {
      const { changes, lastInsertRowid } = insertAccount.run(name, plan, limits.perMinute, limits.perDay, entry.at)
      if (changes === 0n) return undefined
      const id = lastInsertRowid as bigint
      record({ ...entry, accountId: id }, id)
      return id
    },
    renameAccount(id: bigint, name: string, entry: NewAuditEntry): boolean | 'taken' {
      if (findNamed.get(name, id)) return 'taken'
      return change(
        id,
        () => updateName.run(name, id).changes as bigint,
        before => withDetails(entry, { was: before.name }),
      )
    },
    setPlan(id: bigint, plan: Plan, limits: Limits, entry: NewAuditEntry): boolean {
      return change(
        id,
        () => updatePlan.run(plan, limits.perMinute, limits.perDay, id).changes as bigint,
        before => withDetails(entry, { was: planBefore(before) }),
      )
    },
    setSuspended(id: bigint, suspendedAt: number | undefined, entry: NewAuditEntry): boolean {
      return change(
        id,
        () => (suspendedAt === undefined ? resume.run(id) : suspend.run(suspendedAt, id)).changes as bigint,
        before => withDetails(entry, { name: before.name }),
      )
    },
    deleteAccount(id: bigint, entry: NewAuditEntry): boolean {
      return change(
        id,
        () => deletions.map(deletion => deletion.run(id).changes as bigint).at(-1) ?? 0n,
        before => withDetails(entry, { name: before.name }),
      )
    },
  }
}

function keyWrites(database: DatabaseSync, record: RecordDeed) {
  const insertKey = database.prepare(
    `INSERT INTO api_key (account_id, hash, hint, name, created_at, expires_at)
     SELECT id, ?, ?, ?, ?, ? FROM account WHERE id = ?`,
  )
  const isReplaceable = database.prepare(
    'SELECT id FROM api_key WHERE id = ? AND replaced_by IS NULL AND revoked_at IS NULL',
  )
  const updateReplaced = database.prepare('UPDATE api_key SET expires_at = ?, replaced_by = ? WHERE id = ?')
  const updateRevoked = database.prepare('UPDATE api_key SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  const insertBan = database.prepare('INSERT INTO ban (key_id, started_at, ends_at, ordinal) VALUES (?, ?, ?, ?)')
  const updateLifted = database.prepare('UPDATE ban SET lifted_at = ? WHERE id = ? AND lifted_at IS NULL')

  /** Nothing for an account that is not there any more. */
  function insert({ accountId, hash, hint, name, expiresAt }: NewKey, now: number): OrNothing<bigint> {
    const { changes, lastInsertRowid } = insertKey.run(hash, hint, name ?? null, now, expiresAt ?? null, accountId)
    return changes === 0n ? undefined : (lastInsertRowid as bigint)
  }

  return {
    createKey(key: NewKey, entry: NewAuditEntry): OrNothing<bigint> {
      const id = insert(key, entry.at)
      if (id !== undefined) record(entry, id)
      return id
    },
    /** The successor's id. */
    replaceKey(id: bigint, expiresAt: number, successor: NewKey, entry: NewAuditEntry): OrNothing<bigint> {
      if (!isReplaceable.get(id)) return undefined
      const replacedBy = insert(successor, entry.at)
      if (replacedBy === undefined) return undefined
      updateReplaced.run(expiresAt, replacedBy, id)
      record(withDetails(entry, { successor: String(replacedBy) }), id)
      return replacedBy
    },
    revokeKey(id: bigint, entry: NewAuditEntry): boolean {
      return updateRevoked.run(entry.at, id).changes > 0n && record(entry, id)
    },
    createBan(keyId: bigint, { startedAt, endsAt, ordinal }: BanTerm): bigint {
      return insertBan.run(keyId, startedAt, endsAt, ordinal).lastInsertRowid as bigint
    },
    liftBan(id: bigint, entry: NewAuditEntry): boolean {
      return updateLifted.run(entry.at, id).changes > 0n && record(entry, id)
    },
  }
}

function operatorWrites(database: DatabaseSync, record: RecordDeed) {
  const insertToken = database.prepare(
    'INSERT INTO operator_token (hash, hint, name, role, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const updateRevoked = database.prepare('UPDATE operator_token SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  const insertSession = database.prepare('INSERT INTO session (hash, token_id, expires_at) VALUES (?, ?, ?)')
  const deleteSurplus = database.prepare(DELETE_SURPLUS_SESSIONS)
  const deleteSession = database.prepare('DELETE FROM session WHERE hash = ? RETURNING token_id')

  return {
    createToken({ hash, hint, name, role, expiresAt }: NewToken, entry: NewAuditEntry): bigint {
      const { lastInsertRowid } = insertToken.run(hash, hint, name, role, entry.at, expiresAt ?? null)
      record(entry, lastInsertRowid as bigint)
      return lastInsertRowid as bigint
    },
    revokeToken(id: bigint, entry: NewAuditEntry): boolean {
      return updateRevoked.run(entry.at, id).changes > 0n && record(entry, id)
    },
    createSession({ hash, tokenId, expiresAt, replaces = [] }: NewSession, entry: NewAuditEntry): void {
      const replaced = replaces.filter(former => deleteSession.get(former) !== undefined).length
      const ended = replaced + Number(deleteSurplus.run(tokenId, tokenId).changes)
      insertSession.run(hash, tokenId, expiresAt)
      record(withDetails(entry, { ended: ended > 0 ? String(ended) : undefined }), tokenId)
    },
    recordAudit(entry: NewAuditEntry): void {
      record(entry)
    },
    deleteSession(hash: string, entry: NewAuditEntry): boolean {
      const deleted = deleteSession.get(hash) as { token_id: bigint } | undefined
      return deleted !== undefined && record(entry, deleted.token_id)
    },
  }
}

function countWrites(database: DatabaseSync) {
  const replaceCounts = database.prepare(
    `INSERT OR REPLACE INTO account_count (account_id, minute_used, minute_resets_at, day_used, day_resets_at)
     SELECT id, ?, ?, ?, ? FROM account WHERE id = ?`,
  )
  const addUsage = database.prepare(
    `INSERT INTO usage (day, account_id, key_id, operation, admitted, refused, banned,
       status_2xx, status_3xx, status_4xx, status_5xx, last_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (day, account_id, key_id, operation) DO UPDATE SET
       admitted = admitted + excluded.admitted, refused = refused + excluded.refused, banned = banned + excluded.banned,
       status_2xx = status_2xx + excluded.status_2xx, status_3xx = status_3xx + excluded.status_3xx,
       status_4xx = status_4xx + excluded.status_4xx, status_5xx = status_5xx + excluded.status_5xx,
       last_at = max(last_at, excluded.last_at)`,
  )

  return {
    saveCounts(accounts: readonly AccountCounts[]): void {
      for (const { accountId, counts } of accounts) {
        const { minute, day } = counts
        replaceCounts.run(
          minute?.used ?? null,
          minute?.resetsAt ?? null,
          day?.used ?? null,
          day?.resetsAt ?? null,
          accountId,
        )
      }
    },
    addUsage(usage: readonly KeyUsage[]): void {
      for (const one of usage) {
        addUsage.run(
          one.day,
          one.accountId,
          one.keyId,
          one.operation,
          one.admitted,
          one.refused,
          one.banned,
          one.status2xx,
          one.status3xx,
          one.status4xx,
          one.status5xx,
          one.lastAt,
        )
      }
    },
  }
}

/** How many rows of each kind are forgotten at once: whoever writes meanwhile waits for them. */
const FORGOTTEN_AT_ONCE = 5_000

function upkeep(database: DatabaseSync) {
  const deleteCreations = database.prepare(
    `DELETE FROM idempotent_creation WHERE (account_id, key) IN
       (SELECT account_id, key FROM idempotent_creation WHERE created_at <= ? LIMIT ${FORGOTTEN_AT_ONCE})`,
  )
  const deleteSessions = database.prepare('DELETE FROM session WHERE expires_at <= ?')
  const deleteUsage = database.prepare(
    `DELETE FROM usage WHERE (day, account_id, key_id, operation) IN
       (SELECT day, account_id, key_id, operation FROM usage WHERE day < ? LIMIT ${FORGOTTEN_AT_ONCE})`,
  )
  const touch = database.prepare('UPDATE store SET deployment = deployment')
  const probe = ['+', '-'].map(sign => database.prepare(`UPDATE revision SET corrections = corrections ${sign} 1`))

  return {
    /** Whether there may be more to forget. */
    forgetExpired(now: number, firstUsageDay: number): boolean {
      deleteSessions.run(now)
      const forgotten = [deleteCreations.run(now - IDEMPOTENCY_MS), deleteUsage.run(firstUsageDay)]
      return forgotten.some(({ changes }) => changes === BigInt(FORGOTTEN_AT_ONCE))
    },
    /** Takes the lock that every write needs. Nothing goes to the disk: SQLite writes no page whose content stays the same. */
    touch(): void {
      touch.run()
    },
    /** Goes to the disk, as a page that was changed does even when it is changed back. */
    probe(): void {
      for (const update of probe) update.run()
    },
  }
}
