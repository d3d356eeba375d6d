import type { DatabaseSync } from 'node:sqlite'
import { isRefusal } from '../domain/permit.ts'
import type { Row, Statement } from '../sql/statement.ts'
import type { Write } from '../sql/write.ts'
import { connect, shrinkLog } from './connection.ts'
import { ensureFilesInPlace, type OpenFiles } from './data-folder/file-identity.ts'
import { isFull, writeFailure } from './sqlite-errors.ts'
import { Statements } from './statements.ts'
import { CREATIONS, MAY_WRITE, WRITES, type WriteCall } from './writes.ts'

/** How many callers are remembered. */
const MAX_PERMITTED = 10_000

/** The store to write to, and its files: if they are replaced, nothing is written to the new ones. */
export interface StoreFile {
  path: string
  files: OpenFiles
  /** How long a write waits for a writer in another process. */
  busyTimeoutMs?: number | undefined
}

/** Runs batches of writes sequentially. */
export interface BatchRunner {
  /** @returns the result of each write, or its error: a refusal or `StoreUnavailable`; rejects if the whole batch failed */
  run(batch: readonly WriteCall[]): Promise<unknown[]>
  close(): Promise<void>
}

/** Carries out writes in batches, on a separate connection. Each batch is one transaction with one fsync, and the caller waits for it. */
export class Batches {
  readonly #files: OpenFiles
  readonly #database: DatabaseSync
  readonly #statements: Statements
  /** The rows of `MAY_WRITE`, by its values. They stay the same until a caller changes. */
  readonly #permitted = new Map<string, Row[]>()
  /** The revision of callers up to which they are known. */
  #callers: unknown

  /** @throws Error if one of the files has been deleted or replaced */
  constructor({ path, files, busyTimeoutMs }: StoreFile) {
    // Connecting would create a missing file.
    ensureFilesInPlace(files)
    this.#files = files
    this.#database = connect(path, busyTimeoutMs)
    this.#statements = new Statements(this.#database)
  }

  /**
   * Returns the outcome of each write. Writes share a transaction only for speed: if one of them fails, each gets its own
   * transaction. All fail if the transaction cannot begin (a lock is held for too long), or if the files are not the ones that were opened,
   * because commits to a deleted file would be lost.
   */
  carryOut(batch: readonly WriteCall[]): unknown[] {
    let results: unknown[]
    try {
      this.#ensureInPlace()
      this.#run('BEGIN IMMEDIATE')
    } catch (error) {
      return batch.map(() => writeFailure(error))
    }
    try {
      this.#noticeCallers()
      results = batch.map(write => this.#apply(write))
      this.#run('COMMIT')
    } catch (error) {
      if (this.#database.isTransaction) this.#run('ROLLBACK')
      this.#permitted.clear()
      if (isFull(error)) shrinkLog(this.#database)
      return batch.length === 1
        ? [isRefusal(error) ? error : writeFailure(error)]
        : batch.flatMap(write => this.carryOut([write]))
    }
    try {
      this.#ensureInPlace()
      return results
    } catch (error) {
      return batch.map(() => writeFailure(error))
    }
  }

  close(): void {
    this.#database.close()
  }

  #apply([name, ...args]: WriteCall): unknown {
    const write = WRITES[name] as (...args: unknown[]) => Write<unknown>
    // Any other write may change a caller.
    if (!CREATIONS.has(name)) this.#permitted.clear()
    return this.#statements.carryOut(write(...args), statement => this.#rowsOf(statement))
  }

  #noticeCallers(): void {
    const [revision] = this.#statements.run({ sql: 'SELECT callers FROM revision', values: [] })
    if (revision?.callers !== this.#callers || this.#permitted.size > MAX_PERMITTED) this.#permitted.clear()
    this.#callers = revision?.callers
  }

  #rowsOf(statement: Statement): Row[] {
    if (statement.sql !== MAY_WRITE) return this.#statements.run(statement)
    return this.#permitted.getOrInsertComputed(statement.values.join(), () => this.#statements.run(statement))
  }

  /**
   * If the log has been deleted, acknowledged writes that are only in that log are still written to the database while this process runs.
   */
  #ensureInPlace(): void {
    try {
      ensureFilesInPlace(this.#files)
    } catch (error) {
      try {
        this.#run('PRAGMA wal_checkpoint(PASSIVE)')
      } catch {
        // The next write retries this.
      }
      throw error
    }
  }

  #run(sql: string): void {
    this.#statements.run({ sql, values: [] })
  }
}

/** Runs batches in the calling thread, which waits for the disk. */
export function inlineBatches(file: StoreFile): BatchRunner {
  /** Connected by the first batch, because most commands only read. */
  let batches: Batches | undefined
  return {
    async run(batch) {
      batches ??= new Batches(file)
      return batches.carryOut(batch)
    },
    async close() {
      batches?.close()
    },
  }
}
