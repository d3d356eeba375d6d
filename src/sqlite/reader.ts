import { Worker } from 'node:worker_threads'
import { type ThreadOutcome, unpackError } from '../domain/thread-error.ts'
import type { LongReadName } from '../sql/operations.ts'
import { readFailure } from './sqlite-errors.ts'

/** One read, as sent to the thread. */
export type ReadCall = [name: LongReadName, question: unknown]

interface Waiting {
  read: ReadCall
  resolve(value: unknown): void
  reject(reason: unknown): void
}

/** The maximum number of running and queued reads. Each may take a second: the callers of more reads would disconnect before their turn. */
const MAX_READS = 16

/** Runs reads that may take long in a separate thread, so that they do not delay the calls being served. */
export class Reader {
  readonly #file: string
  /** Started by the first read. */
  #thread: Worker | undefined
  #closed = false
  /** In the order in which they run; the first is running. */
  readonly #queue: Waiting[] = []

  constructor(file: string) {
    this.#file = file
  }

  /** @param signal cancels the read while it waits for its turn */
  read(name: LongReadName, question: unknown, signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      if (this.#closed) return reject(readFailure(new Error('The store is closed.')))
      if (this.#queue.length >= MAX_READS) return reject(readFailure(new Error('Too many long reads are waiting.')))
      const waiting: Waiting = { read: [name, question], resolve, reject }
      signal?.addEventListener('abort', () => this.#cancel(waiting, signal.reason), { once: true })
      if (this.#queue.push(waiting) === 1) this.#runFirst()
    })
  }

  /** Aborts the running read. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#thread?.terminate()
  }

  #runFirst(): void {
    const [first] = this.#queue
    if (!first) return
    try {
      this.#thread ??= this.#start()
      this.#thread.postMessage(first.read)
    } catch (error) {
      // The thread could not start, or the read could not be sent. All other reads would wait behind this one.
      this.#queue.shift()
      first.reject(readFailure(error))
      this.#runFirst()
    }
  }

  #cancel(waiting: Waiting, reason: unknown): void {
    const at = this.#queue.indexOf(waiting)
    if (at < 1) return
    this.#queue.splice(at, 1)
    waiting.reject(reason)
  }

  #start(): Worker {
    const thread = new Worker(new URL('reader-thread.ts', import.meta.url), { workerData: this.#file })
    thread.on('message', (outcome: ThreadOutcome<unknown>) => {
      const read = this.#queue.shift()
      this.#runFirst()
      if ('error' in outcome) read?.reject(unpackError(outcome.error))
      else read?.resolve(outcome.result)
    })
    let cause: unknown
    thread.on('error', error => {
      cause = error
    })
    thread.on('exit', () => {
      this.#thread = undefined
      const stopped = new Error('The reader has stopped.', { cause })
      for (const { reject } of this.#queue.splice(0)) reject(readFailure(stopped))
    })
    return thread
  }
}
