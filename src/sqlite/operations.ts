import { operationsOf } from '../sql/operations.ts'
import { SQLITE } from './dialect.ts'

/** The operations that SQLite shares with other databases. */
export const OPERATIONS = operationsOf(SQLITE)
