import type { AuditEntry } from './audit.ts'
import type { NewPet } from './pet.ts'

export interface PetEvent extends Omit<AuditEntry, 'before' | 'after'> {
  /** The animal before the action; undefined if it was created, or if the values are only in the details of the entry. */
  before: NewPet | undefined
  /** The animal after the action; undefined if it was deleted or imported, or if the values are only in the details of the entry. */
  after: NewPet | undefined
}
