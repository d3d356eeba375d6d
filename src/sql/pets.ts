import { crc32 } from 'node:zlib'
import type { NewAuditEntry } from '../domain/audit.ts'
import { StoreDamaged } from '../domain/errors.ts'
import { PET_STATUSES, type Pet } from '../domain/pet.ts'
import type { PetPage, PetQuery, PetSearch } from '../domain/store/animals.ts'
import { change } from './audit.ts'
import type { Dialect } from './dialect.ts'
import { COUNT, type ColumnType, ID, INTEGER, ifSelected, oneOf, optional, rowReader } from './row-reader.ts'
import { first, type Query, type Row, type Value, where } from './statement.ts'
import type { Write } from './write.ts'

export const PET = 'SELECT id, name, category_id, status FROM pet'
/** In a store that keeps a checksum of each animal. */
export const PET_WITH_CHECKSUM = 'SELECT id, name, category_id, status, checksum FROM pet'

/** Like the name of a new animal, except for what only letters can show. */
const NAME: ColumnType<string> = {
  isValid: stored => typeof stored === 'string' && /^\P{Cc}{1,255}$/u.test(stored),
  read: stored => stored as string,
}

const readPet = rowReader('an animal', {
  id: ID,
  name: NAME,
  categoryId: INTEGER,
  status: oneOf(PET_STATUSES),
  checksum: ifSelected(optional(COUNT)),
})

export function petOf(row: Row): Pet {
  const { id, name, categoryId, status, checksum } = readPet(row)
  if (checksum !== undefined && checksum !== petChecksum(name, categoryId, status)) {
    throw new StoreDamaged(`Animal ${id} is not as it was stored.`)
  }
  return { id, name, categoryId, status }
}

/** The CRC-32 of an animal without its id, which it gets only when it is stored. */
export function petChecksum(name: string, categoryId: bigint, status: string): number {
  return crc32(`${categoryId} ${status} ${name}`)
}

/** @param select one of the selections above */
export function petsAfter({ status, afterId, limit }: PetQuery, select: string): Query<PetPage> {
  if (!status) return petPage(`${select} WHERE id > ? ORDER BY id LIMIT ?`, [afterId], { status, afterId, limit })
  // The rows are read by their ids: SQLite would take the status from the index, and could not notice that the two differ.
  const found = 'SELECT id FROM pet WHERE status = ? AND id > ? ORDER BY id LIMIT ?'
  return petPage(`${select} WHERE id IN (${found}) ORDER BY id`, [status, afterId], { status, afterId, limit })
}

/** The store's own `has_part` and `fold` compare names in any case and normal form. */
export function petsFound(search: PetSearch, select: string): Query<PetPage> {
  const { sql, values } = where([
    ['id > ?', search.afterId],
    ['id = ?', search.id],
    ['status = ?', search.status],
    ['category_id = ?', search.categoryId],
    ['has_part(name, fold(?))', search.name],
  ])
  return petPage(`${select} ${sql} ORDER BY id LIMIT ?`, values, search)
}

export function petById(id: bigint, select: string): Query<Pet | undefined> {
  return first(`${select} WHERE id = ?`, [id], petOf)
}

/** One row more than the limit shows that more follow. */
function petPage(sql: string, values: readonly Value[], query: PetQuery): Query<PetPage> {
  return {
    sql,
    values: [...values, query.limit + 1],
    resultOf(rows) {
      const pets = rows.slice(0, query.limit).map(petOf)
      ensureMatch(pets, query)
      return { pets, hasMore: rows.length > query.limit }
    },
  }
}

/** Where an index or a page of the table is damaged, a query may find the wrong rows. */
function ensureMatch(pets: readonly Pet[], { status, afterId }: PetQuery): void {
  let lastId = afterId
  for (const { id, status: own } of pets) {
    if (id <= lastId || (status !== undefined && own !== status)) {
      throw new StoreDamaged(`Animal ${id} is on a page where it does not belong.`)
    }
    lastId = id
  }
}

const IS_AS_EXPECTED = 'id = ? AND name = ? AND category_id = ? AND status = ?'

function valuesOf({ id, name, categoryId, status }: Pet): Value[] {
  return [id, name, categoryId, status]
}

export function petWrites({ addPet, setPet }: Dialect) {
  return {
    addPet,
    correctPet(expected: Pet, { name, categoryId, status }: Pet, entry: NewAuditEntry): Write<boolean> {
      const sql = `UPDATE pet SET ${setPet} WHERE ${IS_AS_EXPECTED} RETURNING id`
      return change(entry, sql, name, categoryId, status, ...valuesOf(expected))
    },
    deletePet(expected: Pet, entry: NewAuditEntry): Write<boolean> {
      return change(entry, `DELETE FROM pet WHERE ${IS_AS_EXPECTED} RETURNING id`, ...valuesOf(expected))
    },
  }
}
