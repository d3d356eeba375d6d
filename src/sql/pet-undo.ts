import { type AuditEntry, withDetails } from '../domain/audit.ts'
import {
  type ChangedPet,
  MAX_CHANGED_SHOWN,
  MAX_PETS_UNDONE,
  type UndoPreview,
  type UndoRefusal,
} from '../domain/pet-undo.ts'
import type { Store } from '../domain/store.ts'
import { auditEntry, idOf, record } from './audit.ts'
import { listAsDeleted, unlistDeleted } from './deleted-pets.ts'
import type { Dialect } from './dialect.ts'
import { labelsUndone, undoLabels } from './label-changes.ts'
import { bulkCorrection, correction, longReadInSteps } from './operation.ts'
import { remember } from './operator-creations.ts'
import { COLUMNS, columnValues, eachColumn, NEW, OLD, PET_COLUMNS } from './pet-columns.ts'
import { CHANGE_COLUMNS } from './pet-history.ts'
import { noteReturned } from './pet-progress.ts'
import { COUNT, ID, optional, rowReader, TEXT, TIME } from './row-reader.ts'
import { all, type Query, type Row, type Value } from './statement.ts'
import { undoMissing } from './undo-missing.ts'
import { type Read, read, run, type Write } from './write.ts'

const NO_VALUES = eachColumn(() => 'NULL')

/** Gives the animals of an entry the new values that `pet_change` has for them. */
export function* applyChanges(auditId: bigint, dialect: Dialect): Write<void> {
  const { storedColumns, storedValues, countCorrection } = dialect
  const values = storedValues(PET_COLUMNS.map(column => `new_${column}`))
  const returned = 'SELECT pet_id FROM pet_change WHERE audit_id = ? AND old_name IS NULL'
  const deleted = 'SELECT pet_id FROM pet_change WHERE audit_id = ? AND new_name IS NULL'
  // Most changes have only one kind of animals, and each statement would read all of them while other writes wait.
  const kinds = yield* read(kindsIn(auditId))
  if (kinds.deleted > 0) yield* run(`DELETE FROM pet WHERE id IN (${deleted})`, auditId)
  yield* run(
    `UPDATE pet SET (${storedColumns}) = (${values}) FROM pet_change
     WHERE audit_id = ? AND pet_id = id AND old_name IS NOT NULL AND new_name IS NOT NULL`,
    auditId,
  )
  if (kinds.returned > 0) {
    yield* run(
      `INSERT INTO pet (id, ${storedColumns})
       SELECT pet_id, ${values} FROM pet_change WHERE audit_id = ? AND old_name IS NULL ORDER BY pet_id`,
      auditId,
    )
    yield* noteReturned(returned, auditId)
    yield* unlistDeleted(returned, auditId)
  }
  if (kinds.deleted > 0) yield* listAsDeleted(auditId)
  // Pages that are kept would not show an animal that was added behind them.
  yield* run(countCorrection)
}

const readKinds = rowReader('the changes of an entry', { returned: COUNT, deleted: COUNT })

function kindsIn(auditId: bigint): Query<ReturnType<typeof readKinds>> {
  const sql = `SELECT count(*) FILTER (WHERE old_name IS NULL) AS returned, count(*) FILTER (WHERE new_name IS NULL) AS deleted
    FROM pet_change WHERE audit_id = ?`
  return { sql, values: [auditId], resultOf: ([row]) => readKinds(row as Row) }
}

/** Undoing what operators did to animals, and bringing back animals that were deleted. */
export function petUndoOperations(dialect: Dialect) {
  return {
    previewUndo: longReadInSteps(function* (entryId: bigint): Read<UndoPreview | UndoRefusal> {
      const change = yield* changeOf(entryId)
      return 'refusal' in change ? change : yield* previewOf(change, dialect)
    }),
    undo: bulkCorrection<Store['undo']>(function* (entryId, entry) {
      const change = yield* changeOf(entryId)
      if ('refusal' in change) return change
      const preview = yield* previewOf(change, dialect)
      const { undone, kept } = preview
      if (undone === 0) return { refusal: 'all changed' }
      const ownId = yield* record(withDetails(entry, { entryId, count: undone, kept }))
      yield* run(`INSERT INTO pet_change (${CHANGE_COLUMNS}) ${change.reverted}`, ownId, ...change.values)
      yield* applyChanges(ownId, dialect)
      yield* undoMissing(change.entry, { id: ownId, at: entry.at })
      const labels = yield* undoLabels(preview.labels, ownId, entry)
      return yield* remember(entry, { entryId: ownId, ...preview, labels })
    }),
    bringBackPet: correction<Store['bringBackPet']>(function* ({ id, ...pet }, entry) {
      const [existing] = yield* run('SELECT id FROM pet WHERE id = ?', id)
      if (existing) return undefined
      const auditId = yield* record(entry, id)
      const values = columnValues(pet)
      const unknown = eachColumn(() => '?')
      const sql = `INSERT INTO pet_change (${CHANGE_COLUMNS}) VALUES (?, ?, ${NO_VALUES}, ${unknown})`
      yield* run(sql, id, auditId, ...values)
      yield* applyChanges(auditId, dialect)
      return auditId
    }),
  }
}

/** What an entry did to animals, as statements. They have the same parameters, `values`. */
interface Change {
  entry: AuditEntry
  animals: number
  values: readonly Value[]
  /** Counts the animals that are still as the entry left them. */
  unchanged: string
  /** Selects the opposite change of each of them: rows of `pet_change`. The id of the new entry is the first parameter. */
  reverted: string
  /** Selects the others, with the last entry that changed them. */
  changed: string
}

function* changeOf(entryId: bigint): Read<Change | UndoRefusal> {
  const entry = yield* read(auditEntry(entryId))
  if (!entry) return { refusal: 'unknown' }
  if (!entry.action.startsWith('pet.')) return { refusal: 'not of animals' }
  const change = additionOf(entry) ?? (yield* recordedChange(entry))
  if (change.animals === 0) return { refusal: 'not in history' }
  return change.animals > MAX_PETS_UNDONE ? { refusal: 'too many' } : change
}

/**
 * Added animals: `pet_change` does not have them. No other animal has an id between those of an import. Of a correction or deletion by version
 * 1.1.0, there is only the entry.
 */
function additionOf(entry: AuditEntry): Change | undefined {
  const { id, action, details } = entry
  const ids = addedIds(entry)
  const animals = action === 'pet.create' ? 1 : Number(details.count)
  if (!ids || Number.isNaN(animals)) return undefined
  const [first, last] = ids
  const changes = 'FROM pet_change WHERE pet_id BETWEEN ? AND ? AND audit_id > ?'
  const entries = `FROM audit WHERE subject_id BETWEEN ? AND ? AND audit.id > ? AND action IN ('pet.correct', 'pet.delete')`
  const later = `SELECT pet_id, audit_id ${changes} UNION ALL SELECT subject_id, audit.id ${entries}`
  const unchanged = `FROM pet WHERE NOT EXISTS (SELECT 1 ${changes} AND pet_id = pet.id)
    AND NOT EXISTS (SELECT 1 ${entries} AND subject_id = pet.id) AND pet.id BETWEEN ? AND ?`
  return {
    entry,
    animals,
    values: [first, last, id, first, last, id, first, last],
    unchanged: `SELECT count(*) AS animals ${unchanged}`,
    reverted: `SELECT id, CAST(? AS BIGINT), ${COLUMNS}, ${NO_VALUES} ${unchanged}`,
    changed: `SELECT pet_id, max(audit_id) AS last_id FROM (${later}) AS later WHERE pet_id BETWEEN ? AND ?
      GROUP BY pet_id ORDER BY pet_id LIMIT ${MAX_CHANGED_SHOWN}`,
  }
}

/** The first and the last id of the animals that an entry added without rows in `pet_change`. */
export function addedIds({ action, subjectId, details }: AuditEntry): [first: bigint, last: bigint] | undefined {
  if (action !== 'pet.create' && action !== 'pet.import') return undefined
  const [first, last] = action === 'pet.create' ? [subjectId, subjectId] : [details.firstId, details.lastId].map(idOf)
  return first === undefined || last === undefined ? undefined : [first, last]
}

/** Other programs, and instances of version 1.1.0, change animals without a row in `pet_change`, so the values are compared, too. */
function* recordedChange(entry: AuditEntry): Read<Change> {
  const animals = yield* read(countRows(`SELECT count(*) AS animals FROM pet_change WHERE audit_id = ?`, [entry.id]))
  const later = 'FROM pet_change AS later WHERE later.pet_id = done.pet_id AND later.audit_id > done.audit_id'
  const done = 'FROM pet_change AS done LEFT JOIN pet ON id = done.pet_id WHERE done.audit_id = ?'
  const isSame = eachColumn(column => `${column} IS NOT DISTINCT FROM new_${column}`, ' AND ')
  const isUnchanged = `NOT EXISTS (SELECT 1 ${later}) AND ${isSame}`
  return {
    entry,
    animals,
    values: [entry.id],
    unchanged: `SELECT count(*) AS animals ${done} AND ${isUnchanged}`,
    reverted: `SELECT pet_id, CAST(? AS BIGINT), ${NEW}, ${OLD} ${done} AND ${isUnchanged}`,
    changed: `SELECT pet_id, (SELECT max(later.audit_id) ${later}) AS last_id ${done} AND NOT (${isUnchanged})
      ORDER BY pet_id LIMIT ${MAX_CHANGED_SHOWN}`,
  }
}

function* previewOf(change: Change, dialect: Dialect): Read<UndoPreview> {
  const { entry, animals, values, unchanged, reverted, changed } = change
  const undone = yield* read(countRows(unchanged, values))
  const changedSince = undone === animals ? [] : yield* read(changedPets(changed, values))
  const labels = yield* labelsUndone(entry.id, { sql: reverted, values: [entry.id, ...values] }, dialect)
  return { undone, kept: animals - undone, changedSince, labels }
}

const readCount = rowReader('the animals of an entry', { animals: COUNT })

function countRows(sql: string, values: readonly Value[]): Query<number> {
  return { sql, values, resultOf: ([row]) => (row ? readCount(row).animals : 0) }
}

const readChanged = rowReader('a change of an animal', {
  petId: ID,
  id: optional(ID),
  at: optional(TIME),
  actor: optional(TEXT),
  action: optional(TEXT),
})

function changedPets(changed: string, values: readonly Value[]): Query<ChangedPet[]> {
  const sql = `SELECT pet_id, id, at, actor, action FROM (${changed}) AS changed
    LEFT JOIN audit ON id = last_id ORDER BY pet_id`
  return all(sql, values, row => {
    const { petId, ...change } = readChanged(row)
    return { petId, change: change.id === undefined ? undefined : (change as ChangedPet['change']) }
  })
}
