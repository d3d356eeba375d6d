import type { NewAuditEntry } from '../domain/audit.ts'
import { conflict } from '../domain/errors.ts'
import type { Category } from '../domain/store/animals.ts'
import type { UndoneLabel } from '../domain/undone-label.ts'
import { wordKey } from '../domain/value-meaning.ts'
import { AUDIT_COLUMNS, auditEntryOf, record } from './audit.ts'
import type { Dialect } from './dialect.ts'
import { petsByCategory } from './pet-counts.ts'
import { formatIds } from './pet-filter.ts'
import { CHANGE_COLUMNS } from './pet-history.ts'
import { ID, INTEGER, rowReader, TEXT } from './row-reader.ts'
import { all, type Query, type Statement } from './statement.ts'
import { type Read, read, run, type Write } from './write.ts'

/** Whether an audit entry is about the label of a category. */
export const IS_OF_LABEL = "action IN ('category.label', 'category.unlabel')"

const readLabelled = rowReader('a category', { id: INTEGER, label: TEXT })

/** Which category has a label, by its `wordKey`. */
const LABELLED: Query<Map<string, bigint>> = {
  sql: 'SELECT id, label FROM category',
  values: [],
  resultOf: rows => new Map(rows.map(readLabelled).map(({ id, label }) => [wordKey(label), id])),
}

/**
 * Gives categories their first labels, as part of an action on animals, and records that. The transaction has the turn of the animals, so that no
 * other action labels categories at the same time.
 * @throws UserError when one of them has, or has had, a label by now, or another category has the same one: files could not tell the two apart
 */
export function* labelNew(categories: readonly Category[], entryId: bigint, entry: NewAuditEntry): Write<void> {
  if (categories.length === 0) return
  const labelled = yield* read(LABELLED)
  for (const category of categories) {
    const other = labelled.get(wordKey(category.label)) ?? category.id
    if (other !== category.id) {
      const given = `The label ${JSON.stringify(category.label)} was given to category ${other}`
      throw conflict(`${given} while the file was read; import it again.`)
    }
    const isDone = yield* label(category, entryId, entry)
    // An operator may have labelled it and removed the label: only now, that is visible for certain.
    const entries = yield* run(`SELECT id FROM audit WHERE subject_id = ? AND ${IS_OF_LABEL}`, category.id)
    if (!isDone || entries.length > 1) {
      throw conflict(`Category ${category.id} was labelled while the file was read; import it again.`)
    }
  }
}

/** @returns false if it has a label */
function* label({ id, label }: Category, entryId: bigint, entry: NewAuditEntry): Write<boolean> {
  const sql = 'INSERT INTO category (id, label) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING id'
  if ((yield* run(sql, id, label)).length === 0) return false
  yield* record({ ...entry, action: 'category.label', details: { partOf: entryId }, after: { label } }, id)
  return true
}

/** @returns false if it no longer has this label */
function* unlabel({ id, label }: Category, entryId: bigint, entry: NewAuditEntry): Write<boolean> {
  if ((yield* run('DELETE FROM category WHERE id = ? AND label = ? RETURNING id', id, label)).length === 0) return false
  yield* record({ ...entry, action: 'category.unlabel', details: { partOf: entryId }, before: { label } }, id)
  return true
}

/**
 * What becomes of the labels that an action on animals has given or taken away when it is undone.
 * @param reverted selects the changes of its animals that undo it, with the values
 */
export function* labelsUndone(entryId: bigint, reverted: Statement, dialect: Dialect): Read<UndoneLabel[]> {
  const changes = yield* read(labelChanges(entryId, dialect))
  if (changes.length === 0) return []
  const ids = changes.map(({ id }) => id)
  const used = new Set(yield* read(categoriesUsed(ids, reverted, dialect)))
  const labelled = yield* read(LABELLED)
  return changes.map(({ id, label, isRemoval, hasChangedSince }) => {
    // Files could not tell two categories with the same label apart.
    const hasChanged = hasChangedSince || (isRemoval && labelled.has(wordKey(label)))
    const outcome = hasChanged ? 'changed' : isRemoval ? 'returned' : used.has(id) ? 'used' : 'removed'
    return { categoryId: id, label, outcome }
  })
}

/** Carries it out, and returns what has become of each label. */
export function* undoLabels(
  labels: readonly UndoneLabel[],
  entryId: bigint,
  entry: NewAuditEntry,
): Write<UndoneLabel[]> {
  const done: UndoneLabel[] = []
  for (const one of labels) {
    const { categoryId: id, label: text, outcome } = one
    const act = outcome === 'removed' ? unlabel : outcome === 'returned' ? label : undefined
    const isDone = !act || (yield* act({ id, label: text }, entryId, entry))
    done.push(isDone ? one : { ...one, outcome: 'changed' })
  }
  return done
}

/** What an action did to the label of a category. */
interface LabelChange extends Category {
  /** Whether it took the label away. Otherwise it gave it. */
  isRemoval: boolean
  hasChangedSince: boolean
}

const readEntry = rowReader('the label of a category', { id: ID, subjectId: INTEGER, lastId: ID })

function labelChanges(entryId: bigint, { detail }: Dialect): Query<LabelChange[]> {
  const sql = `SELECT id, ${AUDIT_COLUMNS},
      (SELECT max(later.id) FROM audit AS later WHERE later.subject_id = audit.subject_id AND later.${IS_OF_LABEL}) AS last_id
    FROM audit WHERE ${IS_OF_LABEL} AND id > ? AND CAST(${detail('partOf')} AS TEXT) = ? ORDER BY subject_id`
  return all(sql, [entryId, String(entryId)], row => {
    const { action, before, after } = auditEntryOf(row)
    const { id, subjectId, lastId } = readEntry(row)
    const isRemoval = action === 'category.unlabel'
    return { id: subjectId, label: String((after ?? before)?.label), isRemoval, hasChangedSince: lastId !== id }
  })
}

const readCategory = rowReader('a category', { categoryId: INTEGER })

/** Which of these categories have animals that are not in these changes. */
function categoriesUsed(ids: readonly bigint[], { sql, values }: Statement, { idsIn }: Dialect): Query<bigint[]> {
  const select = `WITH reverted (${CHANGE_COLUMNS}) AS (${sql})
    SELECT category_id FROM (
      SELECT category_id, animals FROM ${petsByCategory()}
      UNION ALL SELECT CAST(old_category_id AS BIGINT), -1 FROM reverted
    ) AS part WHERE category_id IN ${idsIn} GROUP BY category_id HAVING sum(animals) > 0`
  return all(select, [...values, formatIds(ids)], row => readCategory(row).categoryId)
}
