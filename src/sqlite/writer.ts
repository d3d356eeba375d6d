import { Worker } from 'node:worker_threads'
import { StoreUnavailable } from '../domain/errors.ts'
import type { WriteResult } from '../sql/write.ts'
import { identifyFiles, type OpenFiles } from './data-folder/file-identity.ts'
import type { SqliteWrites, WriteCall } from './writes.ts'

/** Called after every batch, with the number of its writes and the time from sending it until it was on disk. */
export type OnCommit = (writes: number, milliseconds: number) => void

/** The store to write, and its files: if others are put in their place, those are not written. */
export interface StoreFile {
  path: string
  files: OpenFiles
}

interface Waiting {
  write: WriteCall
  resolve(value: unknown): void
  reject(error: Error): void
}

/**
 * Group commit: the writes that arrive while the disk is busy go into the next transaction together. There is one batch under way at
 * a time, so that a batch grows with the load, and all its writes share one fsync.
 */
export class Writer {
  readonly #file: StoreFile
  readonly #onCommit: OnCommit
  /** Started by the first write, as most commands only read; and by the next write after it has failed. */
  #thread: Worker | undefined
  #ended: Promise<void> = Promise.resolve()
  #waiting: Waiting[] = []
  #underway: Waiting[] = []
  #sentAt = 0
  #scheduled = false
  #closing = false
  #hasFailed = false

  /**
   * @param path of a store that stays open for reading as long as this exists
   * @param onCommit called after each batch, before its writes resolve
   */
  constructor(path: string, onCommit: OnCommit) {
    this.#file = { path, files: identifyFiles(path) }
    this.#onCommit = onCommit
  }

  /** Whether one of the last writes has failed. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** Resolves when the write is on disk. */
  write<Name extends keyof SqliteWrites>(
    name: Name,
    ...args: Parameters<SqliteWrites[Name]>
  ): Promise<WriteResult<SqliteWrites, Name>> {
    return new Promise((resolve, reject) => {
      if (this.#closing) return reject(new StoreUnavailable('The store is closed.'))
      this.#thread ??= this.#start()
      this.#waiting.push({ write: [name, ...args], resolve: resolve as (value: unknown) => void, reject })
      this.#schedule()
    })
  }

  /** Carries out the writes that have arrived, then ends the thread. Further writes are refused. */
  close(): Promise<void> {
    this.#closing = true
    if (this.#waiting.length === 0 && this.#underway.length === 0) this.#thread?.postMessage('close')
    return this.#ended
  }

  #start(): Worker {
    const thread = new Worker(new URL('writer-thread.ts', import.meta.url), { workerData: this.#file })
    let cause: unknown
    thread.on('message', (outcomes: unknown[]) => this.#settle(outcomes))
    thread.on('error', error => {
      cause = error
    })
    this.#ended = new Promise(resolve => {
      thread.on('exit', () => {
        this.#thread = undefined
        this.#failAll(cause ?? new Error('The writer has stopped.'))
        resolve()
      })
    })
    return thread
  }

  /**
   * Sends after two turns of the event loop: callers that have just been answered call again in the first, and join the batch.
   * Measured with 64 callers, a batch grows from 30 to 54 writes.
   */
  #schedule(): void {
    if (this.#scheduled || this.#underway.length > 0) return
    this.#scheduled = true
    setImmediate(() => setImmediate(() => this.#send()))
  }

  #send(): void {
    this.#scheduled = false
    // The thread may have ended meanwhile, which has failed all that were waiting.
    if (this.#waiting.length === 0) return
    this.#underway = this.#waiting
    this.#waiting = []
    this.#sentAt = performance.now()
    this.#thread?.postMessage(this.#underway.map(({ write }) => write))
  }

  #settle(outcomes: unknown[]): void {
    const settled = this.#underway
    this.#underway = []
    this.#hasFailed = outcomes.some(outcome => outcome instanceof Error)
    if (this.#waiting.length > 0) this.#schedule()
    else if (this.#closing) this.#thread?.postMessage('close')
    this.#onCommit(settled.length, performance.now() - this.#sentAt)
    settled.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index]
      if (outcome instanceof Error) reject(unavailable(outcome))
      else resolve(outcome)
    })
  }

  #failAll(cause: unknown): void {
    const failed = [...this.#underway, ...this.#waiting]
    this.#underway = []
    this.#waiting = []
    this.#hasFailed ||= failed.length > 0
    for (const { reject } of failed) reject(unavailable(cause))
  }
}

function unavailable(cause: unknown): StoreUnavailable {
  return new StoreUnavailable('The store cannot be written right now.', { cause })
}
