import type { DatabaseSync } from 'node:sqlite'
import { buildLongReads, type LongReads, type LongResult } from '../sql/long-reads.ts'
import type { Read } from '../sql/write.ts'
import { SQLITE } from './dialect.ts'
import { Statements } from './statements.ts'

/** Runs reads that may take long, in the calling thread. */
export class LongReader {
  readonly #statements: Statements
  readonly #reads = buildLongReads(SQLITE)

  constructor(database: DatabaseSync) {
    this.#statements = new Statements(database)
  }

  read<Name extends keyof LongReads>(name: Name, args: Parameters<LongReads[Name]>): LongResult<Name> {
    const build = this.#reads[name] as (...args: unknown[]) => Read<LongResult<Name>>
    return this.#statements.carryOut(build(...args))
  }
}
