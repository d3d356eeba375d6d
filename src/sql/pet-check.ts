import type { Dialect } from './dialect.ts'
import { PETS_BY_STATUS, petsByCategory } from './pet-counts.ts'
import type { Query } from './statement.ts'

/** Whether the counts and the index of names match the animals. Takes time. */
export function isIndexRight({ searchId }: Pick<Dialect, 'searchId'>): Query<boolean> {
  const miscounted = `SELECT status FROM (
      SELECT category_id, status, animals FROM ${petsByCategory()} UNION ALL SELECT category_id, status, -1 FROM pet
      UNION ALL SELECT NULL, status, animals FROM ${PETS_BY_STATUS} UNION ALL SELECT NULL, status, -1 FROM pet
    ) AS difference GROUP BY category_id, status HAVING sum(animals) <> 0`
  const unindexed = `SELECT id FROM pet WHERE id <= (SELECT indexed_to FROM pet_progress)
      AND NOT EXISTS (SELECT 1 FROM pet_search WHERE pet_search.${searchId} = pet.id)
      AND NOT EXISTS (SELECT 1 FROM pet_renamed WHERE pet_renamed.id = pet.id)`
  return {
    sql: `SELECT EXISTS (${miscounted}) AS is_miscounted, EXISTS (${unindexed}) AS is_unindexed`,
    values: [],
    resultOf: ([row]) => !row?.is_miscounted && !row?.is_unindexed,
  }
}
