import type { DatabaseSync } from 'node:sqlite'
import type { BanTerm } from '../domain/ban.ts'
import { IDEMPOTENCY_MS, type IdempotentRequest } from '../domain/idempotency.ts'
import type { NewPet, PetStatus } from '../domain/pet.ts'
import type { Limits, Plan } from '../domain/plan.ts'
import type { AccountCounts, Creation, DeprecatedCalls, NewKey } from '../domain/store.ts'
import { type PetRow, petOf } from './rows.ts'

/** Every write of the store, by name. They run on the writer's thread, inside a transaction that others share. */
export type Writes = ReturnType<typeof buildWrites>

/** One write, as it is sent to the writer's thread: its name and its arguments. */
export type Write = [name: keyof Writes, ...args: unknown[]]

interface CreationRow extends PetRow {
  fingerprint: string
}

export function buildWrites(database: DatabaseSync) {
  const insertPet = database.prepare('INSERT INTO pet (name, category_id, status) VALUES (?, ?, ?)')
  const findCreation = database.prepare(
    `SELECT fingerprint, pet_id AS id, name, category_id, status FROM idempotent_creation
     WHERE account_id = ? AND key = ? AND created_at > ?`,
  )
  const insertCreation = database.prepare(
    `INSERT OR REPLACE INTO idempotent_creation
       (account_id, key, fingerprint, created_at, pet_id, name, category_id, status) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const deleteCreations = database.prepare('DELETE FROM idempotent_creation WHERE created_at <= ?')
  const insertAccount = database.prepare(
    'INSERT INTO account (name, plan, per_minute, per_day, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING',
  )
  const updatePlan = database.prepare('UPDATE account SET plan = ?, per_minute = ?, per_day = ? WHERE id = ?')
  const insertKey = database.prepare(
    'INSERT INTO api_key (account_id, hash, hint, name, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const updateKeyReplaced = database.prepare('UPDATE api_key SET expires_at = ?, replaced_by = ? WHERE id = ?')
  const updateKeyRevoked = database.prepare('UPDATE api_key SET revoked_at = ? WHERE id = ?')
  const insertBan = database.prepare('INSERT INTO ban (key_id, started_at, ends_at, ordinal) VALUES (?, ?, ?, ?)')
  const updateBanLifted = database.prepare('UPDATE ban SET lifted_at = ? WHERE id = ?')
  const replaceCounts = database.prepare(
    `INSERT OR REPLACE INTO account_count (account_id, minute_used, minute_resets_at, day_used, day_resets_at)
     VALUES (?, ?, ?, ?, ?)`,
  )
  const addDeprecatedUse = database.prepare(
    `INSERT INTO deprecated_use (account_id, calls, last_at) VALUES (?, ?, ?)
     ON CONFLICT (account_id) DO UPDATE SET calls = calls + excluded.calls, last_at = excluded.last_at`,
  )

  function createPet(name: string, categoryId: bigint, status: PetStatus): bigint {
    return insertPet.run(name, categoryId, status).lastInsertRowid as bigint
  }

  function createKey({ accountId, hash, hint, name, expiresAt }: NewKey, now: number): bigint {
    return insertKey.run(accountId, hash, hint, name ?? null, now, expiresAt ?? null).lastInsertRowid as bigint
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
    forgetExpired(now: number): void {
      deleteCreations.run(now - IDEMPOTENCY_MS)
    },

    /** The new account's id, or undefined when the name is taken. */
    createAccount(
      { name, plan, limits }: { name: string; plan: Plan; limits: Limits },
      now: number,
    ): bigint | undefined {
      const { changes, lastInsertRowid } = insertAccount.run(name, plan, limits.perMinute, limits.perDay, now)
      return changes === 0n ? undefined : (lastInsertRowid as bigint)
    },
    setPlan(accountId: bigint, plan: Plan, limits: Limits): void {
      updatePlan.run(plan, limits.perMinute, limits.perDay, accountId)
    },

    createKey,
    replaceKey(id: bigint, expiresAt: number, successor: NewKey, now: number): bigint {
      const replacedBy = createKey(successor, now)
      updateKeyReplaced.run(expiresAt, replacedBy, id)
      return replacedBy
    },
    revokeKey(id: bigint, now: number): void {
      updateKeyRevoked.run(now, id)
    },

    createBan(keyId: bigint, { startedAt, endsAt, ordinal }: BanTerm): bigint {
      return insertBan.run(keyId, startedAt, endsAt, ordinal).lastInsertRowid as bigint
    },
    liftBan(id: bigint, now: number): void {
      updateBanLifted.run(now, id)
    },

    saveCounts(accounts: readonly AccountCounts[]): void {
      for (const { accountId, counts } of accounts) {
        const { minute, day } = counts
        replaceCounts.run(
          accountId,
          minute?.used ?? null,
          minute?.resetsAt ?? null,
          day?.used ?? null,
          day?.resetsAt ?? null,
        )
      }
    },
    addDeprecatedCalls(accounts: readonly DeprecatedCalls[]): void {
      for (const { accountId, calls, lastAt } of accounts) addDeprecatedUse.run(accountId, calls, lastAt)
    },
  }
}
