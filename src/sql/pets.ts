import { crc32 } from 'node:zlib'
import { StoreDamaged } from '../domain/errors.ts'
import { isInt64 } from '../domain/int64.ts'
import { describePet, MEMBERS, type NewPet, type Pet } from '../domain/pet.ts'
import type { PetPage, PetQuery, PetSearch } from '../domain/store/animals.ts'
import { COLUMNS } from './pet-columns.ts'
import { columnDamaged } from './row-reader.ts'
import { first, type Query, type Row, type Value } from './statement.ts'

export const PET = `SELECT id, ${COLUMNS} FROM pet`
/** For a store that has a checksum of each animal. */
export const PET_WITH_CHECKSUM = `SELECT id, ${COLUMNS}, checksum FROM pet`

const { isValid: isName } = MEMBERS.name
const { isValid: isCategoryId } = MEMBERS.categoryId
const { isValid: isStatus } = MEMBERS.status

const damaged = (column: string) => columnDamaged(column, 'an animal')

/** Written out for speed: a page has up to 100 animals, and a loop over the members would take three times as long for each. */
export function petOf({ id, name, category_id: categoryId, status, checksum }: Row): Pet {
  if (typeof id !== 'bigint' || id <= 0n) throw damaged('id')
  if (!isName(name)) throw damaged('name')
  if (!isCategoryId(categoryId)) throw damaged('category_id')
  if (!isStatus(status)) throw damaged('status')
  const pet: Pet = { id, name, categoryId, status }
  if (checksum !== undefined && checksum !== null && checksum !== BigInt(petChecksum(pet))) {
    throw new StoreDamaged(`Animal ${id} is not as it was stored.`)
  }
  return pet
}

/** The CRC-32 of an animal, without its id: an animal gets its id only when it is stored. */
export function petChecksum(pet: NewPet): number {
  return crc32(describePet(pet))
}

/** @param select one of the selections above */
export function petsAfter({ status, afterId, limit }: PetQuery, select: string): Query<PetPage> {
  if (!status) return petPage(`${select} WHERE id > ? ORDER BY id LIMIT ?`, [afterId], { afterId, limit })
  // Rows are read by id. Otherwise SQLite would take the status from the index, and a difference between the two would go unnoticed.
  const found = 'SELECT id FROM pet WHERE status = ? AND id > ? ORDER BY id LIMIT ?'
  return petPage(`${select} WHERE id IN (${found}) ORDER BY id`, [status, afterId], {
    statuses: [status],
    afterId,
    limit,
  })
}

/** @param id any integer: one that is not an int64 is not found */
export function petById(id: bigint, select: string): Query<Pet | undefined> {
  return first(`${select} WHERE id = ?`, [isInt64(id) ? id : 0n], petOf)
}

function petPage(sql: string, values: readonly Value[], query: PetSearch): Query<PetPage> {
  return { sql, values: [...values, query.limit + 1], resultOf: rows => pageOf(rows, query, petOf) }
}

/** One row more than the limit shows that another page follows. */
export function pageOf<One extends Pet>(
  rows: readonly Row[],
  query: PetSearch,
  readPet: (row: Row) => One,
): PetPage<One> {
  const pets = rows.slice(0, query.limit).map(readPet)
  ensureMatch(pets, query)
  return { pets, hasMore: rows.length > query.limit }
}

/** If an index or a page of the table is damaged, a query may find the wrong rows. */
function ensureMatch(pets: readonly Pet[], { statuses, afterId, beforeId, order }: PetSearch): void {
  const isDescending = order === 'newest'
  let lastId = isDescending ? beforeId : afterId
  for (const { id, status } of pets) {
    const isBehind = lastId === undefined || (isDescending ? id < lastId : id > lastId)
    if (!isBehind || statuses?.includes(status) === false) {
      throw new StoreDamaged(`Animal ${id} is on a page where it does not belong.`)
    }
    lastId = id
  }
}
