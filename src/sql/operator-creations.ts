import type { NewAuditEntry } from '../domain/audit.ts'
import { IDEMPOTENCY_MS } from '../domain/idempotency.ts'
import { ActionRefused } from '../domain/permit.ts'
import { type SealedCreation, seal } from '../domain/repeatable-request.ts'
import { rowReader, TEXT } from './row-reader.ts'
import { first, type Query } from './statement.ts'
import { run, type Write } from './write.ts'

const readCreation = rowReader<SealedCreation>('the creation of an operator', { fingerprint: TEXT, sealed: TEXT })

export function operatorCreation(key: string, since: number): Query<SealedCreation | undefined> {
  const sql = 'SELECT fingerprint, sealed FROM operator_creation WHERE key = ? AND created_at > ?'
  return first(sql, [key, since], readCreation)
}

/** Replaces only a creation that has expired. */
const REMEMBER = `INSERT INTO operator_creation AS had (key, fingerprint, created_at, sealed) VALUES (?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, created_at = excluded.created_at, sealed = excluded.sealed
    WHERE had.created_at <= ?
  RETURNING key`

/**
 * Remembers what was created, if the operator may repeat the request, and returns it. Must run in the transaction of the creation.
 * @throws ActionRefused if the same request has been carried out before
 */
export function* remember<Created extends object>({ request, at }: NewAuditEntry, created: Created): Write<Created> {
  if (!request) return created
  const { key, fingerprint } = request
  const remembered = yield* run(REMEMBER, key, fingerprint, at, seal(request, created), at - IDEMPOTENCY_MS)
  if (remembered.length === 0) throw new ActionRefused('repeated')
  return created
}
