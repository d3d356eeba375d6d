import { Worker } from 'node:worker_threads'
import { type ThreadOutcome, unpackError } from '../domain/thread-error.ts'
import type { BatchRunner, StoreFile } from './batches.ts'
import type { WriteCall } from './writes.ts'

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
    thread.on('message', (outcomes: ThreadOutcome<unknown>[]) => {
      this.#underway?.resolve(outcomes.map(one => ('error' in one ? unpackError(one.error) : one.result)))
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
