import type { Dialect } from '../sql/dialect.ts'
import { COLUMN_TYPES, COLUMNS, eachColumn } from '../sql/pet-columns.ts'
import { PET } from '../sql/pets.ts'
import { run } from '../sql/write.ts'
import { KEY_ORIGIN_WITH_ADDED, KEY_USE_WITH_ADDED, withAddedUsage } from './added-usage.ts'

export const POSTGRES: Dialect = {
  selectPet: PET,
  *insertPet(values) {
    const [inserted] = yield* run<{ id: bigint }>(INSERT_PET, ...values)
    return inserted?.id as bigint
  },
  setPet: eachColumn(column => `${column} = ?`),
  setPets: eachColumn(column => `${column} = coalesce(?, ${column})`),
  storedColumns: COLUMNS,
  storedValues: values => values.join(', '),
  countCorrection: 'UPDATE correction SET statements = statements + 1',
  idsIn: '(SELECT value::bigint FROM json_array_elements_text(?::json))',
  lockProgress: 'SELECT has_turn FROM try_turn() AS has_turn WHERE has_turn',
  searchId: 'id',
  hasTrigrams: 'trigrams(search_name) @> trigrams(fold(?))',
  serverTime: 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
  detail: name => `CAST(details AS JSON) ->> '${name}'`,
  usageIn: withAddedUsage,
  keyUse: KEY_USE_WITH_ADDED,
  keyOrigin: KEY_ORIGIN_WITH_ADDED,
  // Before its counts: a process that saves counts also locks the account first.
  beforeAccountDeletion: 'SELECT id FROM account WHERE id = ? FOR UPDATE',
}

const TYPES = { integer: 'bigint', text: 'text' }

/** A parameter for each column of many animals. */
export const ARRAYS = COLUMN_TYPES.map(type => `?::${TYPES[type]}[]`).join(', ')

const INSERT_PET = `INSERT INTO pet (id, ${COLUMNS})
  SELECT nextval('pet_id'), ${COLUMN_TYPES.map(type => `?::${TYPES[type]}`).join(', ')} FROM begin_creation() RETURNING id`

/** Added to a SELECT: its rows stay as they are until the transaction ends. */
export const HOLD_ROWS = ' FOR SHARE'

/**
 * The first statements of every write transaction: writes about animals run one after another, and so do all others, and each sees everything that
 * the earlier ones committed (migrations/0012_turns.sql). Creations by callers and counts take no turn.
 */
export const TAKE_TURN_OF_ANIMALS = "SELECT take_turn('pet')"
export const TAKE_TURN_OF_OTHERS = "SELECT take_turn('account')"
