import { Worker } from 'node:worker_threads'
import { StoreDamaged, StoreUnavailable } from '../domain/errors.ts'
import type { LongReads, LongResult } from '../sql/long-reads.ts'

interface Waiting {
  read: [name: keyof LongReads, ...args: unknown[]]
  resolve(value: unknown): void
  reject(reason: unknown): void
}

/** An error that is sent to another thread loses its class. */
type ReadOutcome = { result: unknown } | { error: Error; isDamage: boolean }

/** The reads under way and waiting. Each may take a second: the callers of further ones would have left before their turn. */
const MAX_READS = 16

/** Runs the reads that may take long in a thread of their own, so that they do not delay the calls being served. */
export class Reader {
  readonly #file: string
  /** Started by the first read. */
  #thread: Worker | undefined
  #closed = false
  /** The one that the thread is running. */
  #underway: Waiting | undefined
  /** In the order in which they will run. */
  #waiting: Waiting[] = []

  constructor(file: string) {
    this.#file = file
  }

  /** @param signal cancels the read while it waits for its turn */
  read<Name extends keyof LongReads>(
    name: Name,
    args: Parameters<LongReads[Name]>,
    signal?: AbortSignal,
  ): Promise<LongResult<Name>> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      if (this.#closed) return reject(unavailable(new Error('The store is closed.')))
      if (this.#waiting.length + Number(this.#underway !== undefined) >= MAX_READS)
        return reject(unavailable(new Error('Too many long reads are waiting.')))
      const waiting: Waiting = { read: [name, ...args], resolve: resolve as (value: unknown) => void, reject }
      signal?.addEventListener('abort', () => this.#cancel(waiting, signal.reason), { once: true })
      this.#waiting.push(waiting)
      this.#next()
    })
  }

  /** Aborts the read under way. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#thread?.terminate()
  }

  #next(): void {
    if (this.#underway) return
    this.#underway = this.#waiting.shift()
    if (!this.#underway) return
    this.#thread ??= this.#start()
    this.#thread.postMessage(this.#underway.read)
  }

  #cancel(waiting: Waiting, reason: unknown): void {
    const at = this.#waiting.indexOf(waiting)
    if (at === -1) return
    this.#waiting.splice(at, 1)
    waiting.reject(reason)
  }

  #start(): Worker {
    const thread = new Worker(new URL('reader-thread.ts', import.meta.url), { workerData: this.#file })
    thread.on('message', (outcome: ReadOutcome) => {
      const read = this.#underway
      this.#underway = undefined
      this.#next()
      if ('result' in outcome) read?.resolve(outcome.result)
      else if (outcome.isDamage) read?.reject(new StoreDamaged('The store is damaged.', { cause: outcome.error }))
      else read?.reject(unavailable(outcome.error))
    })
    let cause: unknown
    thread.on('error', error => {
      cause = error
    })
    thread.on('exit', () => {
      this.#thread = undefined
      const stopped = new Error('The reader has stopped.', { cause })
      const failed = [...(this.#underway ? [this.#underway] : []), ...this.#waiting.splice(0)]
      this.#underway = undefined
      for (const { reject } of failed) reject(unavailable(stopped))
    })
    return thread
  }
}

function unavailable(cause: Error): StoreUnavailable {
  return new StoreUnavailable('The store cannot be read right now.', { cause })
}
