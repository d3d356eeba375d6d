import { parentPort, workerData } from 'node:worker_threads'
import { packError } from '../domain/thread-error.ts'
import { Batches } from './batches.ts'
import { answerRequests } from './thread.ts'
import type { ThreadedOutcomes } from './threaded-batches.ts'
import type { WriteCall } from './writes.ts'

const batches = new Batches(workerData)

answerRequests(parentPort, (batch: readonly WriteCall[]): ThreadedOutcomes => {
  const results = batches.carryOut(batch)
  const errors: ThreadedOutcomes['errors'] = []
  for (const [index, outcome] of results.entries()) {
    if (!(outcome instanceof Error)) continue
    errors.push([index, packError(outcome)])
    results[index] = undefined
  }
  return { results, errors }
})
