import type { DatabaseSync } from 'node:sqlite'
import { petChecksum } from '../sql/pet-checksum.ts'

/** Lets the SQL of this connection compute an animal's checksum, as `pet_checksum(name, category_id, status)`. */
export function addChecksumFunction(database: DatabaseSync): DatabaseSync {
  const options = { deterministic: true, useBigIntArguments: true }
  database.function('pet_checksum', options, (name, categoryId, status) =>
    petChecksum(String(name), BigInt(String(categoryId)), String(status)),
  )
  return database
}
