import { crc32 } from 'node:zlib'
import { type NewAuditEntry, withDetails } from '../domain/audit.ts'
import { StoreDamaged } from '../domain/errors.ts'
import { PET_STATUSES, type Pet } from '../domain/pet.ts'
import { MAX_PETS_CHANGED, type PetFilter, type PetPreview, previewOf } from '../domain/pet-selection.ts'
import type { PetChange, PetCounts, PetPage, PetQuery, PetSearch } from '../domain/store/animals.ts'
import { record } from './audit.ts'
import type { Dialect } from './dialect.ts'
import { formatIds, whereSelected } from './pet-filter.ts'
import { COUNT, type ColumnType, ID, INTEGER, ifSelected, oneOf, optional, rowReader } from './row-reader.ts'
import { all, first, type Query, type Row, type Value } from './statement.ts'
import { read, run, type Write } from './write.ts'

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
  if (!status) return petPage(`${select} WHERE id > ? ORDER BY id LIMIT ?`, [afterId], { afterId, limit })
  // The rows are read by their ids: SQLite would take the status from the index, and could not notice that the two differ.
  const found = 'SELECT id FROM pet WHERE status = ? AND id > ? ORDER BY id LIMIT ?'
  return petPage(`${select} WHERE id IN (${found}) ORDER BY id`, [status, afterId], {
    statuses: [status],
    afterId,
    limit,
  })
}

/** Names are compared as `fold` makes them. */
export function petsFound(search: PetSearch, dialect: Dialect): Query<PetPage> {
  const { sql, values } = whereSelected(search, dialect)
  const direction = search.order === 'newest' ? 'DESC' : 'ASC'
  return petPage(`${dialect.selectPet} ${sql} ORDER BY id ${direction} LIMIT ?`, values, search)
}

export function petCounts(filter: PetFilter, dialect: Dialect): Query<PetCounts> {
  const { sql, values } = whereSelected(filter, dialect)
  const counts = PET_STATUSES.map(status => `count(*) FILTER (WHERE status = '${status}') AS ${status}`)
  return {
    sql: `SELECT ${counts.join(', ')} FROM pet ${sql}`,
    values,
    resultOf: ([row]) => (row ? readCounts(row) : { available: 0, pending: 0, sold: 0 }),
  }
}

const readCounts = rowReader<PetCounts>('the animals', { available: COUNT, pending: COUNT, sold: COUNT })

export function petPreview(filter: PetFilter, dialect: Dialect): Query<PetPreview> {
  const { resultOf, ...statement } = selectedPets(filter, dialect)
  return { ...statement, resultOf: rows => previewOf(resultOf(rows), filter) }
}

/** Selected animals by ascending id: one more than can be changed if there are so many. */
function selectedPets(filter: PetFilter, dialect: Dialect): Query<Pet[]> {
  const { sql, values } = whereSelected(filter, dialect)
  return all(`${dialect.selectPet} ${sql} ORDER BY id LIMIT ${MAX_PETS_CHANGED + 1}`, values, petOf)
}

export function petById(id: bigint, select: string): Query<Pet | undefined> {
  return first(`${select} WHERE id = ?`, [id], petOf)
}

/** One row more than the limit shows that more follow. */
function petPage(sql: string, values: readonly Value[], query: PetSearch): Query<PetPage> {
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

const IS_AS_EXPECTED = 'id = ? AND name = ? AND category_id = ? AND status = ?'

function valuesOf({ id, name, categoryId, status }: Pet): Value[] {
  return [id, name, categoryId, status]
}

const CHANGE_COLUMNS = 'pet_id, audit_id, old_name, old_category_id, old_status, new_name, new_category_id, new_status'
const RECORD_CHANGE = `INSERT INTO pet_change (${CHANGE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

export function petWrites(dialect: Dialect) {
  const { addPet, setPet, setPets, idsIn } = dialect
  const recordChanges = `INSERT INTO pet_change (${CHANGE_COLUMNS})
    SELECT id, CAST(? AS BIGINT), name, category_id, status`
  const ofThese = `FROM pet WHERE id IN ${idsIn}`

  /** The animals that `filter` selects; undefined if they are not those of the preview with this version. */
  function* readSelected(filter: PetFilter, version: string): Write<Pet[] | undefined> {
    const selected = yield* read(selectedPets(filter, dialect))
    const { count, version: ownVersion, missingIds } = previewOf(selected, filter)
    const isAsPreviewed = ownVersion === version && count <= MAX_PETS_CHANGED && missingIds.length === 0
    return isAsPreviewed ? selected : undefined
  }

  return {
    addPet,
    *correctPet(expected: Pet, corrected: Pet, entry: NewAuditEntry): Write<boolean> {
      const { id, name, categoryId, status } = expected
      const newValues = [corrected.name, corrected.categoryId, corrected.status]
      const sql = `UPDATE pet SET ${setPet} WHERE ${IS_AS_EXPECTED} RETURNING id`
      const [updated] = yield* run(sql, ...newValues, ...valuesOf(expected))
      if (!updated) return false
      const auditId = yield* record(entry, id)
      yield* run(RECORD_CHANGE, id, auditId, name, categoryId, status, ...newValues)
      return true
    },
    *deletePet(expected: Pet, entry: NewAuditEntry): Write<boolean> {
      const { id, name, categoryId, status } = expected
      const [deleted] = yield* run(`DELETE FROM pet WHERE ${IS_AS_EXPECTED} RETURNING id`, ...valuesOf(expected))
      if (!deleted) return false
      const auditId = yield* record(entry, id)
      yield* run(RECORD_CHANGE, id, auditId, name, categoryId, status, null, null, null)
      return true
    },
    *correctPets(
      filter: PetFilter,
      change: PetChange,
      version: string,
      entry: NewAuditEntry,
    ): Write<number | undefined> {
      const selected = yield* readSelected(filter, version)
      if (!selected) return undefined
      const changed = selected.filter(pet => isChangedBy(pet, change)).map(({ id }) => id)
      if (changed.length === 0) return 0
      const auditId = yield* record(withCount(entry, changed))
      const newValues = [change.name ?? null, change.categoryId ?? null, change.status ?? null]
      const newColumns = 'coalesce(?, name), coalesce(?, category_id), coalesce(?, status)'
      yield* run(`${recordChanges}, ${newColumns} ${ofThese}`, auditId, ...newValues, formatIds(changed))
      yield* run(`UPDATE pet SET ${setPets} WHERE id IN ${idsIn}`, ...newValues, formatIds(changed))
      return changed.length
    },
    *deletePets(filter: PetFilter, version: string, entry: NewAuditEntry): Write<number | undefined> {
      const selected = yield* readSelected(filter, version)
      if (!selected || selected.length === 0) return selected?.length
      const ids = selected.map(({ id }) => id)
      const auditId = yield* record(withCount(entry, ids))
      yield* run(`${recordChanges}, NULL, NULL, NULL ${ofThese}`, auditId, formatIds(ids))
      yield* run(`DELETE ${ofThese}`, formatIds(ids))
      return ids.length
    },
  }
}

function isChangedBy(pet: Pet, change: PetChange): boolean {
  const { name, categoryId, status } = { ...pet, ...definedMembers(change) }
  return name !== pet.name || categoryId !== pet.categoryId || status !== pet.status
}

function definedMembers(change: PetChange): PetChange {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}

function withCount(entry: NewAuditEntry, { length }: readonly bigint[]): NewAuditEntry {
  return withDetails(entry, { count: length })
}
