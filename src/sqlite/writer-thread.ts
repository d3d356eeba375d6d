import { parentPort, workerData } from 'node:worker_threads'
import { packError } from '../domain/thread-error.ts'
import { Batches } from './batches.ts'
import type { WriteCall } from './writes.ts'

/** The thread that waits for the disk, so that readers do not have to. Each message is a batch of writes. */
const port = parentPort as NonNullable<typeof parentPort>
const batches = new Batches(workerData)

port.on('message', (batch: WriteCall[] | 'close') => {
  if (batch === 'close') {
    batches.close()
    port.close()
  } else {
    const outcomes = batches.carryOut(batch)
    port.postMessage(outcomes.map(one => (one instanceof Error ? { error: packError(one) } : { result: one })))
  }
})
