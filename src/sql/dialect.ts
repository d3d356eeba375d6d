import type { Value } from './statement.ts'
import type { Write } from './write.ts'

/** The parts of SQL that differ between the databases. */
export interface Dialect {
  /** Selects animals, with their checksums if the database has none itself. */
  selectPet: string
  /** Adds an animal with these values in its columns, and returns its id. */
  insertPet(values: readonly Value[]): Write<bigint>
  /** Sets an animal's name, category and status: the assignments of an UPDATE. */
  setPet: string
  /** The same for many animals: null values do not change. */
  setPets: string
  /** The columns of an animal that a statement has to write, without its id. */
  storedColumns: string
  /** Their values. @param values one for each member of an animal */
  storedValues(values: readonly string[]): string
  /** Shows in the revision that animals have come back. Corrections and deletions are counted by triggers. */
  countCorrection: string
  /** A list of ids, for use after IN. Its parameter is a JSON array of ids. */
  idsIn: string
  /** Returns a row if no other transaction is changing, counting or indexing animals, and blocks such transactions until this one ends. */
  lockProgress: string
  /** The column of `pet_search` with the id of an animal. */
  searchId: string
  /** Whether a row of `pet_search` has all trigrams of part of a name, its parameter. */
  hasTrigrams: string
  /** The time of the database's server in Unix milliseconds, or null. */
  serverTime: string
  /** A member of an audit entry's `details`, as a text. */
  detail(name: string): string
  /** What to read a table of usage from, which has these columns. */
  usageIn(table: { name: string; columns: readonly string[] }): string
  /** What to read the latest calls of keys from. */
  keyUse: string
  /** What to read from where keys last called. */
  keyOrigin: string
  /** Runs first when the account with this id is deleted. */
  beforeAccountDeletion: string
}
