import { PET_STATUSES } from '../domain/pet.ts'
import type { PetFilter } from '../domain/pet-selection.ts'
import type { PetCounts } from '../domain/store/animals.ts'
import type { Dialect } from './dialect.ts'
import { whereSelected } from './pet-filter.ts'
import { readInParts } from './pet-index.ts'
import { COUNT, rowReader } from './row-reader.ts'
import type { Query } from './statement.ts'
import { type Read, read } from './write.ts'

/**
 * The numbers of animals by category and status, to be summed. They consist of the saved counts, plus the animals created since then, minus
 * the old values and plus the new values of the animals changed since then.
 */
export const COUNTED_PETS = `(
    SELECT category_id, status, animals FROM pet_count
    UNION ALL SELECT category_id, status, 1 FROM (
      SELECT category_id, status FROM pet WHERE id > (SELECT counted_to FROM pet_progress) ORDER BY id
    ) AS created
    UNION ALL SELECT category_id, status, -1 FROM pet_recount
    UNION ALL SELECT category_id, status, 1 FROM pet WHERE id IN (SELECT id FROM pet_recount)
  ) AS counted`

export function* petCounts(filter: PetFilter, dialect: Dialect): Read<PetCounts> {
  if (isCounted(filter)) return yield* read(sumsOf(COUNTED_PETS, 'animals', whereSelected(filter, dialect)))
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
