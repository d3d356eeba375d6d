import { type PackedError, unpackError } from '../domain/thread-error.ts'
import type { BatchRunner, StoreFile } from './batches.ts'
import { Thread } from './thread.ts'
import type { WriteCall } from './writes.ts'

/** The outcomes of a batch, as sent by the thread. Most have no error, and an object around each result would take time with every write. */
export interface ThreadedOutcomes {
  results: unknown[]
  errors: [index: number, error: PackedError][]
}

/** Runs batches in a separate thread, so that no other thread waits for the disk. */
export class ThreadedBatches implements BatchRunner {
  readonly #thread: Thread<readonly WriteCall[], ThreadedOutcomes>

  constructor(file: StoreFile) {
    this.#thread = new Thread(new URL('writer-thread.ts', import.meta.url), file)
  }

  async run(batch: readonly WriteCall[]): Promise<unknown[]> {
    const { results, errors } = await this.#thread.ask(batch)
    for (const [index, error] of errors) results[index] = unpackError(error)
    return results
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}
