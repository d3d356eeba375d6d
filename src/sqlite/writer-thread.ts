import { parentPort, workerData } from 'node:worker_threads'
import { Batches } from './batches.ts'
import { withCodeAsCause } from './sqlite-errors.ts'
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
    port.postMessage(outcomes.map(outcome => (outcome instanceof Error ? withCodeAsCause(outcome) : outcome)))
  }
})
