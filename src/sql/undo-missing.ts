import type { AuditEntry } from '../domain/audit.ts'
import { auditEntry, idOf } from './audit.ts'
import { HAS_SOURCE_NAME } from './sources.ts'
import { type Read, read, run, type Write } from './write.ts'

/**
 * If a sync has been undone, its next file is treated as if it had not been: an animal that it had sold because it was missing is not missing,
 * and one that had come back is missing again. Otherwise a file without statuses would make the first one available whatever its status is,
 * and leave the second one sold. Animals that the undoing keeps, because they have changed since, stay missing or not.
 * @param undone the entry that was undone: that of the sync, or of undoing it, any number of times
 * @param undo its changes have been recorded
 */
export function* undoMissing(undone: AuditEntry, undo: { id: bigint; at: number }): Write<void> {
  const sync = yield* syncOf(undone)
  if (!sync) return
  // Sets are compared as a whole: PostgreSQL would look for each of very many animals among all others.
  yield* run(
    `UPDATE source_pet SET missing_since = CASE WHEN missing_since IS NULL THEN CAST(? AS BIGINT) END,
       returned_at = CASE WHEN missing_since IS NOT NULL THEN CAST(? AS BIGINT) END
     WHERE source_id = (SELECT id FROM source WHERE ${HAS_SOURCE_NAME}) AND (missing_since = ? OR returned_at = ?)
       AND pet_id IN (SELECT pet_id FROM source_pet EXCEPT SELECT pet_id FROM (
         SELECT pet_id FROM pet_change WHERE audit_id = ? EXCEPT SELECT pet_id FROM pet_change WHERE audit_id = ?) AS kept)`,
    ...[undo.at, undo.at, String(sync.details.source), undone.at, undone.at, undone.id, undo.id],
  )
}

function* syncOf(undone: AuditEntry): Read<AuditEntry | undefined> {
  let entry: AuditEntry | undefined = undone
  while (entry?.action === 'pet.undo') {
    const id = idOf(entry.details.entryId)
    entry = id === undefined ? undefined : yield* read(auditEntry(id))
  }
  return entry?.action === 'pet.sync' ? entry : undefined
}
