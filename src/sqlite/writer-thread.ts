import { parentPort, workerData } from 'node:worker_threads'
import { packError } from '../domain/thread-error.ts'
import { Batches } from './batches.ts'
import { answerRequests } from './thread.ts'
import type { WriteCall } from './writes.ts'

const batches = new Batches(workerData)

// Results are sent as they are: an object around each would take time with every write.
answerRequests(parentPort, (batch: readonly WriteCall[]) =>
  batches.carryOut(batch).map(outcome => (outcome instanceof Error ? packError(outcome) : outcome)),
)
