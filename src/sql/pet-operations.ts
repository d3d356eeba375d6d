import { type NewAuditEntry, withDetails } from '../domain/audit.ts'
import { MEMBER_NAMES, type Pet } from '../domain/pet.ts'
import { MAX_PETS_CHANGED, type PetFilter, type PetPreview, previewOf } from '../domain/pet-selection.ts'
import type { ManyChanged, PetChange, PetHistoryQuery, PetPage, PetQuery, PetSearch } from '../domain/store/animals.ts'
import type { Store } from '../domain/store.ts'
import { record } from './audit.ts'
import { petsOfEntry } from './audit-list.ts'
import { deletedPets, listAsDeleted } from './deleted-pets.ts'
import type { Dialect } from './dialect.ts'
import { bulkCorrection, correction, longRead, longReadInSteps, shortRead, writeOf } from './operation.ts'
import { remember } from './operator-creations.ts'
import { COLUMNS, columnValues, eachColumn } from './pet-columns.ts'
import { petCounts } from './pet-counts.ts'
import { formatIds, whereSelected } from './pet-filter.ts'
import { CHANGE_COLUMNS, petHistory } from './pet-history.ts'
import { directionOf, readInParts } from './pet-index.ts'
import { pageOf, petById, petOf, petsAfter } from './pets.ts'
import { all, type Condition, type Query, type Row } from './statement.ts'
import { type Read, read, run, type Write } from './write.ts'

const IS_AS_EXPECTED = `id = ? AND ${eachColumn(column => `${column} IS NOT DISTINCT FROM ?`, ' AND ')}`

const UNKNOWN = eachColumn(() => '?')
const RECORD_CHANGE = `INSERT INTO pet_change (${CHANGE_COLUMNS}) VALUES (?, ?, ${UNKNOWN}, ${UNKNOWN})`

const NONE_CHANGED: ManyChanged = { count: 0, entryId: undefined }

export function petOperations(dialect: Dialect) {
  const { insertPet, setPet, setPets, idsIn } = dialect
  const recordChanges = `INSERT INTO pet_change (${CHANGE_COLUMNS})
    SELECT id, CAST(? AS BIGINT), ${COLUMNS}`
  const ofThese = `FROM pet WHERE id IN ${idsIn}`

  /** The animals selected by `filter`; undefined if they are not those of the preview with this version. */
  function* readSelected(filter: PetFilter, version: string): Write<Pet[] | undefined> {
    const selected = yield* selectedPets(filter, dialect)
    const { count, version: ownVersion, missingIds } = previewOf(selected, filter)
    const isAsPreviewed = ownVersion === version && count <= MAX_PETS_CHANGED && missingIds.length === 0
    return isAsPreviewed ? selected : undefined
  }

  return {
    findPet: shortRead((id: bigint) => petById(id, dialect.selectPet)),
    listPets: shortRead((query: PetQuery) => petsAfter(query, dialect.selectPet)),
    searchPets: longReadInSteps((search: PetSearch) => petsFound(search, dialect)),
    searchDeletedPets: longRead((search: PetSearch) => deletedPets(search, dialect)),
    countPets: longReadInSteps((filter: PetFilter) => petCounts(filter, dialect)),
    previewPets: longReadInSteps((filter: PetFilter) => petPreview(filter, dialect)),
    listPetsOfEntry: longReadInSteps(petsOfEntry),
    listPetHistory: longRead((query: PetHistoryQuery) => petHistory(query, dialect)),
    addPet: writeOf({ changes: 'no revision', isOfAnimals: true })<Store['addPet']>(function* (pet, entry) {
      const id = yield* insertPet(columnValues(pet))
      return yield* remember(entry, { ...pet, id, entryId: yield* record(entry, id) })
    }),
    correctPet: correction<Store['correctPet']>(function* (expected, corrected, entry) {
      const { id } = expected
      const [oldValues, newValues] = [columnValues(expected), columnValues(corrected)]
      const sql = `UPDATE pet SET ${setPet} WHERE ${IS_AS_EXPECTED} RETURNING id`
      const [updated] = yield* run(sql, ...newValues, id, ...oldValues)
      if (!updated) return undefined
      const auditId = yield* record(entry, id)
      yield* run(RECORD_CHANGE, id, auditId, ...oldValues, ...newValues)
      return auditId
    }),
    deletePet: correction<Store['deletePet']>(function* (expected, entry) {
      const { id } = expected
      const oldValues = columnValues(expected)
      const [deleted] = yield* run(`DELETE FROM pet WHERE ${IS_AS_EXPECTED} RETURNING id`, id, ...oldValues)
      if (!deleted) return undefined
      const auditId = yield* record(entry, id)
      yield* run(RECORD_CHANGE, id, auditId, ...oldValues, ...columnValues({}))
      yield* listAsDeleted(auditId)
      return auditId
    }),
    correctPets: bulkCorrection<Store['correctPets']>(function* (filter, change, version, entry) {
      const selected = yield* readSelected(filter, version)
      if (!selected) return undefined
      const changed = selected.filter(pet => isChangedBy(pet, change)).map(({ id }) => id)
      if (changed.length === 0) return NONE_CHANGED
      const auditId = yield* record(withCount(entry, changed))
      const newValues = columnValues(change)
      const newColumns = eachColumn(column => `coalesce(?, ${column})`)
      yield* run(`${recordChanges}, ${newColumns} ${ofThese}`, auditId, ...newValues, formatIds(changed))
      yield* run(`UPDATE pet SET ${setPets} WHERE id IN ${idsIn}`, ...newValues, formatIds(changed))
      return { count: changed.length, entryId: auditId }
    }),
    deletePets: bulkCorrection<Store['deletePets']>(function* (filter, version, entry) {
      const selected = yield* readSelected(filter, version)
      if (!selected) return undefined
      if (selected.length === 0) return NONE_CHANGED
      const ids = selected.map(({ id }) => id)
      const auditId = yield* record(withCount(entry, ids))
      yield* run(`${recordChanges}, ${eachColumn(() => 'NULL')} ${ofThese}`, auditId, formatIds(ids))
      yield* run(`DELETE ${ofThese}`, formatIds(ids))
      yield* listAsDeleted(auditId)
      return { count: ids.length, entryId: auditId }
    }),
  }
}

function isChangedBy(pet: Pet, change: PetChange): boolean {
  return MEMBER_NAMES.some(name => change[name] !== undefined && change[name] !== pet[name])
}

function withCount(entry: NewAuditEntry, { length }: readonly bigint[]): NewAuditEntry {
  return withDetails(entry, { count: length })
}

function* petsFound(search: PetSearch, dialect: Dialect): Read<PetPage> {
  return pageOf(yield* selectRows({ ...search, limit: search.limit + 1 }, dialect), search, petOf)
}

function* petPreview(filter: PetFilter, dialect: Dialect): Read<PetPreview> {
  return previewOf(yield* selectedPets(filter, dialect), filter)
}

/** Selected animals in ascending order of id: at most one more than can be changed. */
function* selectedPets(filter: PetFilter, dialect: Dialect): Read<Pet[]> {
  return (yield* selectRows({ ...filter, limit: MAX_PETS_CHANGED + 1 }, dialect)).map(petOf)
}

function* selectRows(search: PetSearch, dialect: Dialect): Read<Row[]> {
  const rows: Row[] = []
  yield* readInParts(search, dialect, function* (part, conditions) {
    const limit = search.limit - rows.length
    if (limit === 0) return 0
    const found = yield* read(selection({ ...part, limit }, dialect, conditions))
    rows.push(...found)
    return found.length
  })
  return rows
}

function selection(search: PetSearch, dialect: Dialect, conditions: readonly Condition[]): Query<Row[]> {
  const { sql, values } = whereSelected(search, dialect, ...conditions)
  const select = `${dialect.selectPet} ${sql} ORDER BY id ${directionOf(search.order)} LIMIT ?`
  return all(select, [...values, search.limit], row => row)
}
