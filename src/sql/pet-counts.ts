import { PET_STATUSES } from '../domain/pet.ts'
import type { PetFilter } from '../domain/pet-selection.ts'
import type { PetCounts } from '../domain/store/animals.ts'
import type { Dialect } from './dialect.ts'
import { whereSelected } from './pet-filter.ts'
import { readInParts } from './pet-index.ts'
import { COUNT, rowReader } from './row-reader.ts'
import type { Query } from './statement.ts'
import { type Read, read } from './write.ts'

const CREATED = 'pet WHERE id > (SELECT counted_to FROM pet_progress) ORDER BY id'
const CHANGED = 'pet WHERE id IN (SELECT id FROM pet_recount)'

/**
 * The numbers of animals by status, to be summed. They consist of the saved counts, plus the animals created since then, minus the old values and
 * plus the new values of the animals changed since then.
 */
export const PETS_BY_STATUS = `(
    SELECT status, animals FROM pet_total
    UNION ALL SELECT status, 1 FROM (SELECT status FROM ${CREATED}) AS created
    UNION ALL SELECT status, -1 FROM pet_recount
    UNION ALL SELECT status, 1 FROM ${CHANGED}
  ) AS counted`

/**
 * Animals with the id above which the saved counts of their category include them, `COUNTED_AFTER`. With a join, PostgreSQL expects a fraction of the
 * work that it expects of a subquery for each animal, and does not compile the statement, which takes a second.
 * @param select selects their `id`, `category_id` and `status`
 */
export function withCountedAfter(select: string): string {
  return `(${select}) AS one LEFT JOIN (
      SELECT category_id, min(after_id) AS after_id FROM pet_count GROUP BY category_id
    ) AS known ON known.category_id = one.category_id`
}

export const COUNTED_AFTER = 'coalesce(known.after_id, (SELECT dropped_to FROM pet_progress))'

/** `COUNTED_AFTER` of the category that is the parameter. */
const COUNTED_AFTER_OF = `coalesce(
    (SELECT min(after_id) FROM pet_count WHERE category_id = ?), (SELECT dropped_to FROM pet_progress)
  )`

/**
 * The same by category and status. Animals that the saved counts of their category do not include are counted now.
 * @param droppedTo the highest id of these animals: an expression
 */
export function petsByCategory(droppedTo = '(SELECT dropped_to FROM pet_progress)'): string {
  const select = (source: string, isCounted: string) =>
    `FROM ${withCountedAfter(`SELECT id, category_id, status FROM ${source}`)} WHERE id ${isCounted} ${COUNTED_AFTER}`
  return `(
    SELECT category_id, status, animals FROM pet_count
    UNION ALL SELECT category_id, status, 1 FROM (SELECT category_id, status FROM ${CREATED}) AS created
    UNION ALL SELECT one.category_id, status, 1 ${select(`pet WHERE id <= ${droppedTo} ORDER BY id`, '<=')}
    UNION ALL SELECT one.category_id, status, -1 ${select('pet_recount', '>')}
    UNION ALL SELECT one.category_id, status, 1 ${select(CHANGED, '>')}
  ) AS counted`
}

/** Categories with their labels and their numbers of animals, to be grouped: one row of a category has its label, the others have its numbers. */
export const CATEGORY_USE = `SELECT id, max(label) AS label, CAST(sum(animals) AS BIGINT) AS animals FROM (
    SELECT id, label, 0 AS animals FROM category
    UNION ALL SELECT category_id, NULL, animals FROM ${petsByCategory()}
  ) AS part`

export function* petCounts(filter: PetFilter, dialect: Dialect): Read<PetCounts> {
  if (isCounted(filter)) return yield* read(countedSums(filter, dialect))
  const counts: PetCounts = { available: 0, pending: 0, sold: 0 }
  yield* readInParts({ ...filter, limit: SAMPLE }, dialect, function* (part, conditions) {
    const found = yield* read(sumsOf('pet', '1', whereSelected(part, dialect, ...conditions)))
    for (const status of PET_STATUSES) counts[status] += found[status]
    return found.available + found.pending + found.sold
  })
  return counts
}

/** This many animals are enough to estimate whether a name is frequent. */
const SAMPLE = 100

/** Whether a filter has only conditions that the counts are grouped by. */
function isCounted({ name, ids, afterId, beforeId }: PetFilter): boolean {
  return [name, ids, afterId, beforeId].every(condition => condition === undefined)
}

function countedSums(filter: PetFilter, dialect: Dialect): Query<PetCounts> {
  const selected = whereSelected(filter, dialect)
  const { categoryId } = filter
  if (categoryId === undefined) return sumsOf(PETS_BY_STATUS, 'animals', selected)
  const { sql, values } = selected
  return sumsOf(petsByCategory(COUNTED_AFTER_OF), 'animals', { sql, values: [categoryId, ...values] })
}

function sumsOf(source: string, animals: string, { sql, values }: ReturnType<typeof whereSelected>): Query<PetCounts> {
  const sums = PET_STATUSES.map(
    status => `CAST(coalesce(sum(${animals}) FILTER (WHERE status = '${status}'), 0) AS BIGINT) AS ${status}`,
  )
  return {
    sql: `SELECT ${sums.join(', ')} FROM ${source} ${sql}`,
    values,
    resultOf: ([row]) => (row ? readCounts(row) : { available: 0, pending: 0, sold: 0 }),
  }
}

const readCounts = rowReader<PetCounts>('the animals', { available: COUNT, pending: COUNT, sold: COUNT })
