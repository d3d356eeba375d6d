import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { type ThreadOutcome, unpackError } from '../../domain/thread-error.ts'
import type { Holdings } from './inspect.ts'
import type { CopyRequest } from './vacuum-copy-thread.ts'

/**
 * Copies a snapshot of a store to one file without a log, and syncs, checks and counts the copy. The target must be missing or empty. Runs
 * in a thread, so that it can be aborted; after an abort or a failure, the caller removes the target.
 */
export async function copyStore(request: CopyRequest, signal?: AbortSignal): Promise<Holdings> {
  const thread = new Worker(new URL('vacuum-copy-thread.ts', import.meta.url), { workerData: request })
  try {
    const [outcome] = (await once(thread, 'message', signal ? { signal } : {})) as [ThreadOutcome<Holdings>]
    if ('error' in outcome) throw unpackError(outcome.error)
    return outcome.result
  } finally {
    // After an abort, the thread may still fail because its target is gone.
    thread.on('error', () => {})
    void thread.terminate()
  }
}
