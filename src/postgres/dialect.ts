import { record } from '../sql/audit.ts'
import type { Dialect } from '../sql/dialect.ts'
import { remember } from '../sql/operator-creations.ts'
import { columnTypes, columnValues, eachColumn } from '../sql/pet-columns.ts'
import { PET } from '../sql/pets.ts'
import { run } from '../sql/write.ts'

export const POSTGRES: Dialect = {
  selectPet: PET,
  /** The animal comes last: the sequence of ids does not roll back, so a later failure would skip an id. */
  *addPet(pet, entry) {
    const [next] = yield* run<{ id: bigint }>('SELECT lock_pet_ids() + 1 AS id')
    const { id } = next as { id: bigint }
    yield* record(entry, id)
    yield* remember(entry, { ...pet, id })
    yield* run(INSERT_PET, ...columnValues(pet))
    return { ...pet, id }
  },
  setPet: eachColumn(column => `${column} = ?`),
  setPets: eachColumn(column => `${column} = coalesce(?, ${column})`),
  idsIn: '(SELECT value::bigint FROM json_array_elements_text(?::json))',
  lockProgress: 'SELECT callers FROM revision FOR UPDATE SKIP LOCKED',
  searchId: 'id',
  hasTrigrams: 'trigrams(search_name) @> trigrams(fold(?))',
  serverTime: 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
  detail: name => `CAST(details AS JSON) ->> '${name}'`,
  // Before its counts: a process that saves counts also locks the account first.
  beforeAccountDeletion: 'SELECT id FROM account WHERE id = ? FOR UPDATE',
}

/** The type of each column of an animal. */
const COLUMN_TYPES = columnTypes({ integer: 'bigint', text: 'text' })

/** A parameter for each column of many animals. */
export const ARRAYS = COLUMN_TYPES.map(type => `?::${type}[]`).join(', ')

/** Creates an animal without an idempotency key. */
const INSERT_PET = `SELECT id FROM create_pets(${COLUMN_TYPES.map(type => `ARRAY[?::${type}]`).join(', ')},
  '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{NULL}')`

/**
 * The first statement of every write transaction, so that writes run sequentially, and each sees everything that the earlier ones committed.
 * Most of them would wait for each other anyway, because they change this row. It is locked before all other rows; creations and counts
 * never lock it.
 */
export const LOCK_OPERATORS_TURN = 'SELECT callers FROM revision FOR UPDATE'
