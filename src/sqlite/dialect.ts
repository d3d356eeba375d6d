import type { Dialect } from '../sql/dialect.ts'
import { COLUMNS, eachColumn, PET_COLUMNS } from '../sql/pet-columns.ts'
import { PET_WITH_CHECKSUM } from '../sql/pets.ts'
import type { Value } from '../sql/statement.ts'
import type { Write } from '../sql/write.ts'

/** SQLite has no built-in checksums. */
export const SQLITE: Dialect = {
  selectPet: PET_WITH_CHECKSUM,
  insertPet,
  setPet: assign((_, index) => `?${index + 1}`),
  setPets: assign((column, index) => `coalesce(?${index + 1}, ${column})`),
  storedColumns: `${COLUMNS}, checksum, search_name`,
  storedValues: values => `${values.join(', ')}, ${derivedValues(values)}`,
  countCorrection: 'UPDATE revision SET corrections = corrections + 1',
  idsIn: '(SELECT value FROM json_each(?))',
  // There is only one writer.
  lockProgress: 'SELECT indexed_to FROM pet_progress',
  searchId: 'rowid',
  hasTrigrams: 'pet_search MATCH trigram_query(?)',
  serverTime: 'NULL',
  detail: name => `details ->> '${name}'`,
  usageIn: ({ name }) => name,
  keyUse: 'key_use',
  keyOrigin: 'key_origin',
  beforeAccountDeletion: 'DELETE FROM idempotent_creation WHERE account_id = ?',
}

export function* insertPet(values: readonly Value[]): Write<bigint> {
  const [inserted] = yield { sql: INSERT_PET, values }
  return inserted?.lastInsertRowid as bigint
}

const NEW_VALUES = PET_COLUMNS.map((_, index) => `?${index + 1}`)

const INSERT_PET = `INSERT INTO pet (${COLUMNS}, checksum, search_name)
  VALUES (${NEW_VALUES.join(', ')}, ${derivedValues(NEW_VALUES)})`

function assign(newValueOf: (column: string, index: number) => string): string {
  const derived = `(checksum, search_name) = (${derivedValues(PET_COLUMNS.map(newValueOf))})`
  return `${eachColumn((column, index) => `${column} = ${newValueOf(column, index)}`)}, ${derived}`
}

/**
 * The checksum and the folded name of an animal, which the database derives.
 * @param values one for each column
 */
function derivedValues(values: readonly string[]): string {
  return `pet_checksum(${values.join(', ')}), fold(${values[PET_COLUMNS.indexOf('name')]})`
}

/** The same as columns of a table that has those of an animal: null until it is there. */
export const DERIVED_COLUMNS = `
  checksum INTEGER AS (CASE WHEN name IS NOT NULL THEN pet_checksum(${COLUMNS}) END) STORED,
  search_name TEXT AS (CASE WHEN name IS NOT NULL THEN fold(name) END) STORED`
