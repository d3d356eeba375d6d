import { DatabaseSync } from 'node:sqlite'
import { petChecksum } from '../sql/pets.ts'

/** How long a write waits for a writer in another process. */
export const BUSY_TIMEOUT_MS = 5_000
/** The size to which the write-ahead log is cut back after it has grown, as by the import of a large file. */
const MAX_IDLE_LOG_BYTES = 16_777_216

/** Opens a connection. A commit returns when it is on disk: WAL with synchronous=FULL. */
export function connect(file: string): DatabaseSync {
  return configure(open(file))
}

/** Opens a file that may not be a store, and changes nothing. */
export function open(file: string): DatabaseSync {
  return addChecksumFunction(new DatabaseSync(file, { readBigInts: true, timeout: BUSY_TIMEOUT_MS }))
}

export function configure(database: DatabaseSync): DatabaseSync {
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON',
  )
  database.exec(`PRAGMA journal_size_limit = ${MAX_IDLE_LOG_BYTES}`)
  return database
}

/** Lets the SQL of this connection compute an animal's checksum, as `pet_checksum(name, category_id, status)`. */
export function addChecksumFunction(database: DatabaseSync): DatabaseSync {
  const options = { deterministic: true, useBigIntArguments: true }
  database.function('pet_checksum', options, (name, categoryId, status) =>
    petChecksum(String(name), BigInt(String(categoryId)), String(status)),
  )
  return database
}
