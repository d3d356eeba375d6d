import { SIDE_BY_SIDE } from './migrate.ts'
import { locksOn, SERVING_LOCKS } from './wait-for-propagation.ts'

/** Shows that an instance knows that ids do not become visible in their order; instances of 1.1.0 do not take this lock. */
export const SHOW_RELEASE = `SELECT pg_advisory_lock_shared('pet_id'::regclass::oid::int, 0)`

/** Whether an upgrade is to be finished, and no instance of 1.1.0 is serving. */
export const CAN_FINISH = `(SELECT version < ${SIDE_BY_SIDE} FROM store)
      AND NOT EXISTS (SELECT pid FROM pg_locks WHERE ${SERVING_LOCKS} EXCEPT SELECT pid FROM pg_locks WHERE ${locksOn('pet_id')})`

/** From then on, 1.1.0 refuses the store, and instances create animals side by side (`begin_creation`). */
export const FINISH_UPGRADE = `UPDATE store SET version = ${SIDE_BY_SIDE} WHERE version < ${SIDE_BY_SIDE}`
