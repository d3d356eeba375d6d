import type { AuditEntry } from './audit.ts'
import type { NewPet } from './pet.ts'

/** Something that an operator did to an animal. */
export interface PetEvent extends Omit<AuditEntry, 'before' | 'after'> {
  /** What the animal was like; undefined if it was created, or if that is only in the details of the entry. */
  before: NewPet | undefined
  /** What it has been like since then; undefined if it was deleted or imported, or if that is only in the details of the entry. */
  after: NewPet | undefined
}
