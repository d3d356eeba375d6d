import { Worker } from 'node:worker_threads'
import { type PackedError, unpackError } from '../domain/thread-error.ts'
import type { BatchRunner, StoreFile } from './batches.ts'
import type { WriteCall } from './writes.ts'

/** The outcomes of a batch, as sent by the thread. Most have no error, and an object around each result would take time with every write. */
export interface ThreadedOutcomes {
  results: unknown[]
  errors: [index: number, error: PackedError][]
}

/** Runs batches in a separate thread, so that no other thread waits for the disk. If the thread fails, the next batch starts another. */
export class ThreadedBatches implements BatchRunner {
  readonly #file: StoreFile
  #thread: Worker | undefined
  #ended: Promise<void> = Promise.resolve()
  #underway: PromiseWithResolvers<unknown[]> | undefined

  constructor(file: StoreFile) {
    this.#file = file
  }

  async run(batch: readonly WriteCall[]): Promise<unknown[]> {
    this.#thread ??= this.#start()
    this.#thread.postMessage(batch)
    this.#underway = Promise.withResolvers()
    return this.#underway.promise
  }

  close(): Promise<void> {
    this.#thread?.postMessage('close')
    return this.#ended
  }

  #start(): Worker {
    const thread = new Worker(new URL('writer-thread.ts', import.meta.url), { workerData: this.#file })
    let cause: unknown
    thread.on('message', ({ results, errors }: ThreadedOutcomes) => {
      for (const [index, error] of errors) results[index] = unpackError(error)
      this.#underway?.resolve(results)
    })
    thread.on('error', error => {
      cause = error
    })
    this.#ended = new Promise(resolve => {
      thread.on('exit', () => {
        this.#thread = undefined
        this.#underway?.reject(new Error('The writer has stopped.', { cause }))
        resolve()
      })
    })
    return thread
  }
}
