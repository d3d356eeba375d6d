import type { NewAuditEntry } from '../domain/audit.ts'
import type { NewPet } from '../domain/pet.ts'
import type { Write } from './write.ts'

/** What each database says in its own words. */
export interface Dialect {
  /** Selects animals; with their checksums, where the database has no checksums of its own. */
  selectPet: string
  /** Creates an animal, and returns its id. */
  addPet(pet: NewPet, entry: NewAuditEntry): Write<bigint>
  /** Sets an animal's name, category and status: the assignments of an UPDATE. */
  setPet: string
  /** The same of many animals: what is null stays as it is. */
  setPets: string
  /** A list of ids, to be used behind IN. Its parameter is a JSON array of them. */
  idsIn: string
  /** Returns a row if no other transaction changes, counts or indexes animals, and keeps others from it until the end of this one. */
  lockProgress: string
  /** The column of `pet_search` with the id of an animal. */
  searchId: string
  /** Whether a row of `pet_search` has every three characters in a row of a part of a name, its parameter. */
  hasTrigrams: string
  /** A member of an audit entry's `details`, as a text. */
  detail(name: string): string
  /** Runs first when the account with this id is deleted. */
  beforeAccountDeletion: string
}
