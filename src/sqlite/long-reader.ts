import type { DatabaseSync } from 'node:sqlite'
import type { LongRead } from '../sql/operation.ts'
import type { LongReadName } from '../sql/operations.ts'
import { OPERATIONS } from './operations.ts'
import { orReadFailure } from './sqlite-errors.ts'
import { Statements } from './statements.ts'

/** Runs reads that may take long, in the calling thread. */
export class LongReader {
  readonly #statements: Statements

  constructor(database: DatabaseSync) {
    this.#statements = new Statements(database)
  }

  /** @throws StoreUnavailable */
  read(name: LongReadName, question: unknown): unknown {
    const { steps } = OPERATIONS[name] as LongRead<unknown, unknown>
    return orReadFailure(() => this.#statements.carryOut(steps(question)))
  }
}
