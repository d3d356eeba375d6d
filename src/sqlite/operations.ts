import type { LongRead } from '../sql/operation.ts'
import { type LongReadName, operationsOf } from '../sql/operations.ts'
import { SQLITE } from './dialect.ts'
import { orReadFailure } from './sqlite-errors.ts'
import type { Statements } from './statements.ts'

export const OPERATIONS = operationsOf(SQLITE)

/** @throws StoreUnavailable */
export function readLong(statements: Statements, name: LongReadName, question: unknown): unknown {
  const { steps } = OPERATIONS[name] as LongRead<unknown, unknown>
  return orReadFailure(() => statements.carryOut(steps(question)))
}
