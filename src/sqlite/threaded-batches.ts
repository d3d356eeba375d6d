import { isPackedError, unpackError } from '../domain/thread-error.ts'
import type { BatchRunner, StoreFile } from './batches.ts'
import { Thread } from './thread.ts'
import type { WriteCall } from './writes.ts'

/** Runs batches in a separate thread, so that no other thread waits for the disk. */
export function threadedBatches(file: StoreFile): BatchRunner {
  const url = new URL('writer-thread.ts', import.meta.url)
  const thread = new Thread<readonly WriteCall[], unknown[]>(url, file)
  return {
    async run(batch) {
      const outcomes = await thread.ask(batch)
      return outcomes.map(outcome => (isPackedError(outcome) ? unpackError(outcome) : outcome))
    },
    close: () => thread.close(),
  }
}
