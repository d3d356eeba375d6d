import type { PetStatus } from '../domain/pet.ts'
import { record } from '../sql/audit.ts'
import type { Dialect } from '../sql/dialect.ts'
import { remember } from '../sql/operator-creations.ts'
import { PET_WITH_CHECKSUM } from '../sql/pets.ts'
import type { Write } from '../sql/write.ts'

/** SQLite has no built-in checksums. */
export const SQLITE: Dialect = {
  selectPet: PET_WITH_CHECKSUM,
  *addPet(pet, entry) {
    const id = yield* insertPet(pet.name, pet.categoryId, pet.status)
    yield* record(entry, id)
    yield* remember(entry, { id, ...pet })
    return { id, ...pet }
  },
  setPet: 'name = ?1, category_id = ?2, status = ?3, checksum = pet_checksum(?1, ?2, ?3), search_name = fold(?1)',
  setPets: `name = coalesce(?1, name), category_id = coalesce(?2, category_id), status = coalesce(?3, status),
    checksum = pet_checksum(coalesce(?1, name), coalesce(?2, category_id), coalesce(?3, status)),
    search_name = fold(coalesce(?1, name))`,
  idsIn: '(SELECT value FROM json_each(?))',
  // There is only one writer.
  lockProgress: 'SELECT indexed_to FROM pet_progress',
  searchId: 'rowid',
  hasTrigrams: 'pet_search MATCH trigram_query(?)',
  serverTime: 'NULL',
  detail: name => `details ->> '${name}'`,
  beforeAccountDeletion: 'DELETE FROM idempotent_creation WHERE account_id = ?',
}

/** Returns the new animal's id. Takes plain arguments instead of an object, because it is by far the most frequent write. */
export function* insertPet(name: string, categoryId: bigint, status: PetStatus): Write<bigint> {
  const [inserted] = yield { sql: INSERT_PET, values: [name, categoryId, status] }
  return inserted?.lastInsertRowid as bigint
}

const INSERT_PET = `INSERT INTO pet (name, category_id, status, checksum, search_name)
  VALUES (?1, ?2, ?3, pet_checksum(?1, ?2, ?3), fold(?1))`
