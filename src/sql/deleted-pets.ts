import type { Pet } from '../domain/pet.ts'
import type { DeletedPet, PetPage, PetSearch } from '../domain/store/animals.ts'
import type { Dialect } from './dialect.ts'
import { COLUMNS, eachColumn } from './pet-columns.ts'
import { whereSelected } from './pet-filter.ts'
import { directionOf } from './pet-index.ts'
import { pageOf, petOf } from './pets.ts'
import { ID, rowReader, TEXT, TIME } from './row-reader.ts'
import type { Query, Row } from './statement.ts'
import { run, type Write } from './write.ts'

/** Lists the animals that an entry has deleted, once their changes are recorded. */
export function* listAsDeleted(auditId: bigint): Write<void> {
  // Another program may have added an animal under the id of a deleted one.
  yield* run(
    `INSERT INTO deleted_pet (pet_id, audit_id) SELECT pet_id, audit_id FROM pet_change WHERE audit_id = ? AND new_name IS NULL
     ON CONFLICT (pet_id) DO UPDATE SET audit_id = excluded.audit_id`,
    auditId,
  )
}

/** @param ids selects animals that have come back, with one parameter */
export function* unlistDeleted(ids: string, value: bigint): Write<void> {
  yield* run(`DELETE FROM deleted_pet WHERE pet_id IN (${ids})`, value)
}

const OLD_VALUES = eachColumn(column => `old_${column} AS ${column}`)

const readDeletion = rowReader<Omit<DeletedPet, keyof Pet>>('the deletion of an animal', {
  entryId: ID,
  deletedAt: TIME,
  deletedBy: TEXT,
})

/** With the columns of an animal, so that they are selected like animals. CROSS JOIN makes SQLite begin with the listed ones, not with the history. */
const valuesOf = (listed: string) => `SELECT listed.id, ${OLD_VALUES}, fold(old_name) AS search_name,
    audit.id AS entry_id, at AS deleted_at, actor AS deleted_by
  FROM (${listed}) AS listed CROSS JOIN pet_change CROSS JOIN audit
  WHERE pet_change.pet_id = listed.id AND pet_change.audit_id = listed.audit_id AND audit.id = listed.audit_id`

export function deletedPets(search: PetSearch, dialect: Dialect): Query<PetPage<DeletedPet>> {
  const { name, statuses, categoryId, ...place } = search
  const placed = whereSelected(place, dialect)
  const matching = whereSelected({ name, statuses, categoryId }, dialect)
  const page = `ORDER BY id ${directionOf(search.order)} LIMIT ?`
  const limit = search.limit + 1
  // If every one matches, only the values of a page are read, whatever the database knows about its tables.
  const isOfAll = matching.sql === ''
  const listed = `SELECT * FROM (SELECT pet_id AS id, audit_id FROM deleted_pet) AS deleted ${placed.sql} ${isOfAll ? page : ''}`
  return {
    sql: `SELECT id, ${COLUMNS}, ${readDeletion.columns}
      FROM (${valuesOf(listed)}) AS deleted
      ${matching.sql} ${page}`,
    values: [...placed.values, ...(isOfAll ? [limit] : []), ...matching.values, limit],
    resultOf: rows => pageOf(rows, search, deletedPetOf),
  }
}

function deletedPetOf(row: Row): DeletedPet {
  return { ...petOf(row), ...readDeletion(row) }
}
