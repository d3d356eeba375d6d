import { PET_STATUSES } from '../domain/pet.ts'
import type { PetFilter } from '../domain/pet-selection.ts'
import type { Dialect } from './dialect.ts'
import { type Condition, type Value, where } from './statement.ts'

/** The WHERE clause that selects animals. Names are compared in the form that `fold` returns. */
export function whereSelected(
  { name, statuses, categoryId, ids, afterId, beforeId }: PetFilter,
  { idsIn }: Pick<Dialect, 'idsIn'>,
  ...more: Condition[]
): { sql: string; values: Value[] } {
  return where([
    ['id > ?', afterId],
    ['id < ?', beforeId],
    [`id IN ${idsIn}`, ids && formatIds(ids)],
    // The index helps only with a single status. With several, its use would lose the order of the ids.
    ...(statuses?.length === 1 ? [['status = ?', statuses[0]] as const] : otherThan(statuses)),
    ['category_id = ?', categoryId],
    // PostgreSQL does not accept NUL. No name has a control character, so another one is not found either.
    ['instr(search_name, fold(?)) > 0', name?.replaceAll('\0', '\x01')],
    ...more,
  ])
}

/** The value for the parameter of `idsIn`. */
export function formatIds(ids: readonly bigint[]): string {
  return `[${ids.join(',')}]`
}

function otherThan(statuses: PetFilter['statuses']): Condition[] {
  const others = PET_STATUSES.filter(status => statuses && !statuses.includes(status))
  return others.map(status => ['status <> ?', status] as const)
}
