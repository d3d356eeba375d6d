import type { Category, CategoryQuery, CategoryUse } from '../domain/store/animals.ts'
import type { Store } from '../domain/store.ts'
import { change, record } from './audit.ts'
import type { Dialect } from './dialect.ts'
import { IS_OF_LABEL } from './label-changes.ts'
import { longRead, plainWrite, shortRead } from './operation.ts'
import { CATEGORY_USE } from './pet-counts.ts'
import { formatIds } from './pet-filter.ts'
import { COUNT, INTEGER, optional, rowReader, TEXT } from './row-reader.ts'
import { all, first, type Query, type Statement, where } from './statement.ts'
import { read, run } from './write.ts'

const categoryOf = rowReader<Category>('a category', { id: INTEGER, label: TEXT })

const IS_USED = 'max(label) IS NOT NULL OR sum(animals) > 0'

const categoryUseOf = rowReader<CategoryUse>('a category', { id: INTEGER, label: optional(TEXT), animals: COUNT })

function categoriesFound({ label, afterId, limit }: CategoryQuery): Query<CategoryUse[]> {
  const { sql, values } = where([
    ['id > ?', afterId],
    ['id IN (SELECT id FROM category WHERE instr(fold(label), fold(?)) > 0)', label],
  ])
  const select = `${CATEGORY_USE} ${sql} GROUP BY id HAVING ${IS_USED} ORDER BY id LIMIT ?`
  return all(select, [...values, limit], categoryUseOf)
}

/**
 * Selects the highest number below a limit that has, or has had, a label or animals. Undoing an action can bring animals back into a category, so its
 * number is not given to another word.
 */
export function highestCategory(below: bigint): Statement {
  const select = `SELECT id FROM (${CATEGORY_USE} WHERE id < ? GROUP BY id HAVING ${IS_USED}) AS used
    UNION ALL SELECT max(subject_id) FROM audit WHERE ${IS_OF_LABEL} AND subject_id < ?
    UNION ALL SELECT max(old_category_id) FROM pet_change WHERE old_category_id < ?`
  return { sql: `SELECT max(id) AS highest FROM (${select}) AS known`, values: [below, below, below] }
}

const SET_LABEL = 'INSERT INTO category (id, label) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET label = excluded.label'

export const categoryOperations = (dialect: Dialect) => ({
  listCategories: longRead(categoriesFound),
  findCategories: shortRead((ids: readonly bigint[]) =>
    all(`SELECT id, label FROM category WHERE id IN ${dialect.idsIn}`, [formatIds(ids)], categoryOf),
  ),
  labelCategory: plainWrite<Store['labelCategory']>(function* (id, label, entry) {
    const before = yield* read(labelOf(id))
    yield* run(SET_LABEL, id, label)
    yield* record({ ...entry, before }, id)
  }),
  unlabelCategory: plainWrite<Store['unlabelCategory']>(function* (id, entry) {
    const before = yield* read(labelOf(id))
    return yield* change({ ...entry, before }, 'DELETE FROM category WHERE id = ? RETURNING id', id)
  }),
})

function labelOf(id: bigint) {
  return first('SELECT label FROM category WHERE id = ?', [id], rowReader('a category', { label: TEXT }))
}
