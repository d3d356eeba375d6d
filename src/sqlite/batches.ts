import type { DatabaseSync } from 'node:sqlite'
import type { Write } from '../sql/write.ts'
import { connect } from './connection.ts'
import { ensureFilesInPlace, type OpenFiles } from './data-folder/file-identity.ts'
import { Statements } from './statements.ts'
import { WRITES, type WriteCall } from './writes.ts'

/** The store to write, and its files: if others are put in their place, those are not written. */
export interface StoreFile {
  path: string
  files: OpenFiles
}

/** Carries out one batch of writes after another. */
export interface BatchRunner {
  /** @returns the result of each write, or its error; rejects with an Error if the whole batch failed */
  run(batch: readonly WriteCall[]): Promise<unknown[]>
  close(): Promise<void>
}

/** Carries out writes in batches, on a connection of their own. Each batch is one transaction with one fsync, for which the caller waits. */
export class Batches {
  readonly #files: OpenFiles
  readonly #database: DatabaseSync
  readonly #statements: Statements

  /** @throws Error if one of the files has been deleted or replaced */
  constructor({ path, files }: StoreFile) {
    // Connecting would create a file in place of one that is gone.
    ensureFilesInPlace(files)
    this.#files = files
    this.#database = connect(path)
    this.#statements = new Statements(this.#database)
  }

  /**
   * Returns the result of each write, or its error. Writes share a transaction for speed alone: if one of them fails, each gets its own
   * transaction. If the transaction cannot begin (a lock is held for too long), all of them fail at once; so they do if the files are not
   * the ones that were opened, as what is committed into a deleted file is lost.
   */
  carryOut(batch: readonly WriteCall[]): unknown[] {
    let results: unknown[]
    try {
      this.#ensureInPlace()
      this.#run('BEGIN IMMEDIATE')
    } catch (error) {
      return batch.map(() => error)
    }
    try {
      results = batch.map(write => this.#apply(write))
      this.#run('COMMIT')
    } catch (error) {
      if (this.#database.isTransaction) this.#run('ROLLBACK')
      return batch.length === 1 ? [error] : batch.flatMap(write => this.carryOut([write]))
    }
    try {
      this.#ensureInPlace()
      return results
    } catch (error) {
      return batch.map(() => error)
    }
  }

  close(): void {
    this.#database.close()
  }

  #apply([name, ...args]: WriteCall): unknown {
    const write = WRITES[name] as (...args: unknown[]) => Write<unknown>
    return this.#statements.carryOut(write(...args))
  }

  /**
   * If the log has been deleted, what was acknowledged and is only in that log is still brought into the database while this process lives.
   */
  #ensureInPlace(): void {
    try {
      ensureFilesInPlace(this.#files)
    } catch (error) {
      try {
        this.#run('PRAGMA wal_checkpoint(PASSIVE)')
      } catch {
        // The next write tries it again.
      }
      throw error
    }
  }

  #run(sql: string): void {
    this.#statements.run({ sql, values: [] })
  }
}
