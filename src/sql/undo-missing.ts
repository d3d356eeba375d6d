import type { AuditEntry } from '../domain/audit.ts'
import { auditEntry, idOf } from './audit.ts'
import { HAS_SOURCE_NAME } from './sources.ts'
import { type Read, read, run, type Write } from './write.ts'

/**
 * If a sync has been undone, its next file is treated as if it had not been: an animal that it had sold because it was missing is not missing,
 * and one that had come back is missing again. Otherwise a file without statuses would make the first one available whatever its status is,
 * and leave the second one sold.
 * @param undone the entry that was undone: that of the sync, or of undoing it, any number of times
 * @param undo its changes have been recorded
 */
export function* undoMissing(undone: AuditEntry, undo: { id: bigint; at: number }): Write<void> {
  const sync = yield* syncOf(undone)
  if (!sync) return
  const ofSource = `source_id = (SELECT id FROM source WHERE ${HAS_SOURCE_NAME})`
  const source = String(sync.details.source)
  yield* run(`UPDATE source_pet SET missing_since = NULL WHERE ${ofSource} AND missing_since = ?`, source, sync.at)
  yield* run(
    `UPDATE source_pet SET missing_since = CASE WHEN new_status = 'sold' THEN CAST(? AS BIGINT) END
     FROM pet_change AS change
     WHERE ${ofSource} AND change.pet_id = source_pet.pet_id AND audit_id = ? AND old_status <> new_status`,
    undo.at,
    source,
    undo.id,
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
