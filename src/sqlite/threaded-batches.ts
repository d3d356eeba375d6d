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
export function threadedBatches(file: StoreFile): BatchRunner {
  const url = new URL('writer-thread.ts', import.meta.url)
  const thread = new Thread<readonly WriteCall[], ThreadedOutcomes>(url, file)
  return {
    async run(batch) {
      const { results, errors } = await thread.ask(batch)
      for (const [index, error] of errors) results[index] = unpackError(error)
      return results
    },
    close: () => thread.close(),
  }
}
