import type { AuditEntry } from './audit.ts'
import type { UndoneLabel } from './undone-label.ts'

/** Undoing a change of more animals than this would delay the creation of new ones for too long. */
export const MAX_PETS_UNDONE = 500_000

export const MAX_CHANGED_SHOWN = 100

/** What the undoing of an entry of the audit log does: animals that have not changed since return to their former state. */
export interface UndoPreview {
  undone: number
  /** The number of animals that stay as they are, because they have changed since the entry. */
  kept: number
  /** The first MAX_CHANGED_SHOWN of these, in ascending order of id. */
  changedSince: ChangedPet[]
  /** In ascending order of category. */
  labels: UndoneLabel[]
}

export interface ChangedPet {
  petId: bigint
  /** Its latest change. Undefined if another program changed it without an entry. */
  change: Pick<AuditEntry, 'id' | 'at' | 'actor' | 'action'> | undefined
}

export interface Undo extends UndoPreview {
  /** The id of its own entry, which can be undone in turn. */
  entryId: bigint
}

/**
 * Why an entry cannot be undone. `unknown`: there is none with this id. `not of animals`: it changed something else. `not in history`: it was
 * written by an old version, which did not keep the values of its animals. `too many`: it changed more than MAX_PETS_UNDONE. `all changed`:
 * none of its animals is as it left them.
 */
export interface UndoRefusal {
  refusal: 'unknown' | 'not of animals' | 'not in history' | 'too many' | 'all changed'
}
