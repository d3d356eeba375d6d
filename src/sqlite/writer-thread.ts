import { parentPort, workerData } from 'node:worker_threads'
import { packError } from '../domain/thread-error.ts'
import { Batches } from './batches.ts'
import type { ThreadedOutcomes } from './threaded-batches.ts'
import type { WriteCall } from './writes.ts'

/** The thread that waits for the disk, so that readers do not have to. Each message is a batch of writes. */
const port = parentPort as NonNullable<typeof parentPort>
const batches = new Batches(workerData)

port.on('message', (batch: WriteCall[] | 'close') => {
  if (batch === 'close') {
    batches.close()
    port.close()
  } else {
    const results = batches.carryOut(batch)
    const errors: ThreadedOutcomes['errors'] = []
    for (const [index, one] of results.entries()) if (one instanceof Error) errors.push([index, packError(one)])
    port.postMessage({ results, errors } satisfies ThreadedOutcomes)
  }
})
