import type { Dialect } from './dialect.ts'
import { writeOf } from './operation.ts'
import { COUNTED_AFTER, withCountedAfter } from './pet-counts.ts'
import { COUNT, rowReader } from './row-reader.ts'
import { first, type Query } from './statement.ts'
import { run, type Write } from './write.ts'

/** How many animals have yet to be counted and indexed: those created, changed or deleted since the last run. */
export interface PetBacklog {
  uncounted: number
  unindexed: number
}

const CHANGED = 'SELECT id FROM pet_recount'
const IS_UNCOUNTED = 'id > (SELECT counted_to FROM pet_progress)'
const UNCOUNTED = `SELECT id FROM pet WHERE ${IS_UNCOUNTED}`
const RENAMED = 'SELECT id FROM pet_renamed'
const UNINDEXED = 'SELECT id FROM pet WHERE id > (SELECT indexed_to FROM pet_progress)'

/** @param most stops counting at this number */
export function petBacklog(most: number): Query<PetBacklog | undefined> {
  const count = (ids: string) => `(SELECT count(*) FROM (${ids} ORDER BY id LIMIT ?) AS waiting)`
  const uncounted = `${count(CHANGED)} + ${count(UNCOUNTED)} AS uncounted`
  const unindexed = `${count(RENAMED)} + ${count(UNINDEXED)} AS unindexed`
  return first(`SELECT ${uncounted}, ${unindexed}`, [most, most, most, most], readBacklog)
}

const readBacklog = rowReader<PetBacklog>('the backlog', { uncounted: COUNT, unindexed: COUNT })

/** Each batch takes a few milliseconds, and other writes may have to wait for it. */
const COUNTED_AT_ONCE = 10_000
const INDEXED_AT_ONCE = 500

/** Callers choose the categories of their animals. */
export const MAX_COUNTED_CATEGORIES = 10_000

type Step = (settled: bigint) => Promise<boolean>

const backgroundWrite = writeOf({ changes: 'no revision', isOfAnimals: true, isInBackground: true })

/**
 * Counts and indexes the next batch of animals, new ones only up to `settled`, because an animal that appears below `counted_to` or `indexed_to`
 * would never be counted or found. Both writes return whether to continue; if another transaction is doing the same, they do nothing.
 */
export function petProgressOperations({ lockProgress, searchId }: Dialect) {
  return {
    countNextPets: backgroundWrite<Step>(function* (settled) {
      if ((yield* run(lockProgress)).length === 0) return false
      const changed = yield* next(CHANGED, COUNTED_AT_ONCE)
      const created = yield* next(`${UNCOUNTED} AND id <= ?`, COUNTED_AT_ONCE, settled)
      if (changed) {
        const ids = `${CHANGED} WHERE id <= ?`
        yield* addToCounts('-1', 'pet_recount', 'id <= ?', changed.lastId)
        yield* addToCounts('1', 'pet', `id IN (${ids})`, changed.lastId)
        yield* run('DELETE FROM pet_recount WHERE id <= ?', changed.lastId)
        yield* run('DELETE FROM pet_count WHERE animals = 0')
      }
      if (created) {
        yield* addToCounts('1', 'pet', `${IS_UNCOUNTED} AND id <= ?`, created.lastId)
        yield* run('UPDATE pet_progress SET counted_to = ?', created.lastId)
      }
      if (changed || created) yield* dropCounts()
      return changed?.isFull || created?.isFull || false
    }),
    indexNextPets: backgroundWrite<Step>(function* (settled) {
      if ((yield* run(lockProgress)).length === 0) return false
      const renamed = yield* next(RENAMED, INDEXED_AT_ONCE)
      const created = yield* next(`${UNINDEXED} AND id <= ?`, INDEXED_AT_ONCE, settled)
      const index = `INSERT INTO pet_search (${searchId}, search_name) SELECT id, search_name FROM pet`
      if (renamed) {
        const ids = `${RENAMED} WHERE id <= ?`
        yield* run(`DELETE FROM pet_search WHERE ${searchId} IN (${ids})`, renamed.lastId)
        yield* run(`${index} WHERE id IN (${ids})`, renamed.lastId)
        yield* run('DELETE FROM pet_renamed WHERE id <= ?', renamed.lastId)
      }
      if (created) {
        yield* run(`${index} WHERE id IN (${UNINDEXED} AND id <= ?)`, created.lastId)
        yield* run('UPDATE pet_progress SET indexed_to = ?', created.lastId)
      }
      return renamed?.isFull || created?.isFull || false
    }),
  }
}

/**
 * Counts animals that have come back with ids that were already counted, and leaves their names to be indexed.
 * @param ids selects them, with one parameter
 */
export function* noteReturned(ids: string, value: bigint): Write<void> {
  const isCounted = `id <= (SELECT counted_to FROM pet_progress) AND id NOT IN (${CHANGED})`
  yield* addToCounts('1', 'pet', `id IN (${ids}) AND ${isCounted}`, value)
  yield* run(
    `INSERT INTO pet_renamed (id) SELECT id FROM pet WHERE id IN (${ids}) AND id <= (SELECT indexed_to FROM pet_progress)
    ON CONFLICT DO NOTHING`,
    value,
  )
}

/** The last id of the next batch of these animals, and whether the batch is full; undefined if there are none. */
function* next(ids: string, most: number, ...values: bigint[]): Write<{ lastId: bigint; isFull: boolean } | undefined> {
  const [part] = yield* run<{ last_id: bigint | null; animals: bigint }>(
    `SELECT max(id) AS last_id, count(*) AS animals FROM (${ids} ORDER BY id LIMIT ?) AS part`,
    ...values,
    most,
  )
  if (!part || part.last_id === null) return undefined
  return { lastId: part.last_id, isFull: part.animals === BigInt(most) }
}

/** Adds the animals of a table that match a condition, or subtracts them. */
function* addToCounts(each: '1' | '-1', table: string, condition: string, value: bigint): Write<void> {
  yield* run(
    `INSERT INTO pet_total (status, animals) SELECT status, sum(${each}) FROM ${table} WHERE ${condition} GROUP BY status
    ON CONFLICT (status) DO UPDATE SET animals = pet_total.animals + excluded.animals`,
    value,
  )
  yield* run(
    `INSERT INTO pet_count (category_id, status, animals, after_id)
    SELECT one.category_id, status, sum(${each}), max(${COUNTED_AFTER})
    FROM ${withCountedAfter(`SELECT id, category_id, status FROM ${table} WHERE ${condition}`)}
    WHERE id > ${COUNTED_AFTER} GROUP BY one.category_id, status
    ON CONFLICT (category_id, status) DO UPDATE SET animals = pet_count.animals + excluded.animals`,
    value,
  )
}

/** If too many categories have counts, only those with a label, and then those with the most animals, keep them. */
function* dropCounts(): Write<void> {
  const [found] = yield* run<{ categories: bigint }>('SELECT count(DISTINCT category_id) AS categories FROM pet_count')
  if (found && found.categories <= BigInt(MAX_COUNTED_CATEGORIES)) return
  const kept = `SELECT category_id FROM pet_count GROUP BY category_id
    ORDER BY category_id IN (SELECT id FROM category) DESC, sum(animals) DESC, category_id LIMIT ?`
  yield* run(`DELETE FROM pet_count WHERE category_id NOT IN (${kept})`, MAX_COUNTED_CATEGORIES)
  yield* run('UPDATE pet_progress SET dropped_to = counted_to')
}
