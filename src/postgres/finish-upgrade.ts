import { SIDE_BY_SIDE } from './migrate.ts'

/**
 * Instances of 1.1.0 hold a lock on the number of changes that they know, `objid`, and two while they switch to the next. Numbers wrap around
 * after 31 bits.
 */
const LOCKS = `FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND classid = 'revision'::regclass
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
const LOCK_NUMBERS = 2 ** 31

/** Whether the upgrade from 1.1.0 is finished. */
export const IS_UPGRADED = `(SELECT version >= ${SIDE_BY_SIDE} FROM store)`

/** Whether instances of 1.1.0 are serving. They cannot after the upgrade. */
export const IS_BESIDE_EARLIER = `CASE WHEN ${IS_UPGRADED} THEN false ELSE EXISTS (SELECT ${LOCKS}) END`

/** How many there are. */
export const COUNT_EARLIER = `(SELECT count(DISTINCT pid)::int ${LOCKS})`

/** Whether one of them does not know this change yet: its number is behind by less than half of all numbers. */
export function isEarlierLate(change: string): string {
  const behind = `(${change} - objid::int8) & ${LOCK_NUMBERS - 1} BETWEEN 1 AND ${LOCK_NUMBERS / 2}`
  return `CASE WHEN ${IS_UPGRADED} THEN false ELSE EXISTS (SELECT ${LOCKS} AND ${behind}) END`
}

/** From then on, 1.1.0 refuses the store, and instances create animals side by side (`begin_creation`). */
export const FINISH_UPGRADE = `UPDATE store SET version = ${SIDE_BY_SIDE} WHERE version < ${SIDE_BY_SIDE}`
