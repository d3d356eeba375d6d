import { DatabaseSync } from 'node:sqlite'
import { fold, nameKeyOf } from '../domain/fold.ts'
import { fromColumns } from '../sql/pet-columns.ts'
import { petChecksum } from '../sql/pets.ts'

/** How long a write waits for a writer in another process. */
export const BUSY_TIMEOUT_MS = 5_000
/** The write-ahead log is truncated to this size after it has grown, for example by a large import. */
const MAX_IDLE_LOG_BYTES = 16_777_216

/** Opens a connection. A commit returns once it is on disk: WAL with synchronous=FULL. */
export function connect(file: string, busyTimeoutMs = BUSY_TIMEOUT_MS): DatabaseSync {
  return configure(open(file, busyTimeoutMs))
}

/** Opens a file that may not be a store, without changing it. */
export function open(file: string, busyTimeoutMs = BUSY_TIMEOUT_MS): DatabaseSync {
  return addFunctions(new DatabaseSync(file, { readBigInts: true, timeout: busyTimeoutMs }))
}

export function configure(database: DatabaseSync): DatabaseSync {
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON',
  )
  database.exec(`PRAGMA journal_size_limit = ${MAX_IDLE_LOG_BYTES}`)
  return database
}

/**
 * Writes the log of a database that is about to get another name into its file. When the connection closes, SQLite does the same, but a full disk
 * would pass unnoticed.
 */
export function finishFile(database: DatabaseSync): void {
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}

/** How long freeing the space of the log may wait for readers. Writers wait with it. */
const SHRINK_TIMEOUT_MS = 1_000

/**
 * Empties the write-ahead log after a write that filled the disk, and gives back its space: what was rolled back stays in the log, and SQLite would
 * keep it until the log is full again. Does what it can: a later attempt may find the log unused.
 */
export function shrinkLog(database: DatabaseSync): void {
  try {
    if (database.isTransaction) database.exec('ROLLBACK')
    database.exec(`PRAGMA busy_timeout = ${SHRINK_TIMEOUT_MS}`)
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // The checkpoint itself may need more space in the database.
  } finally {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }
}

/** Adds functions to the SQL of this connection: `pet_checksum` of the values of an animal, `fold`, `trigram_query`, `name_key`. */
export function addFunctions(database: DatabaseSync): DatabaseSync {
  const options = { deterministic: true, useBigIntArguments: true }
  database.function('fold', options, text => fold(String(text)))
  database.function('trigram_query', options, part => trigramQuery(fold(String(part))))
  database.function('name_key', options, name => nameKeyOf(String(name)))
  database.function('pet_checksum', { ...options, varargs: true }, (...values) => petChecksum(fromColumns(values)))
  return database
}

/**
 * The full-text query for texts that contain all trigrams of a part.
 * @param part with at least three characters
 */
function trigramQuery(part: string): string {
  const characters = [...part]
  const trigrams = new Set(characters.slice(2).map((_, at) => characters.slice(at, at + 3).join('')))
  return [...trigrams].map(trigram => `"${trigram.replaceAll('"', '""')}"`).join(' AND ')
}
