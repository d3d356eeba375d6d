import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { Mistake } from '../domain/errors.ts'
import type { CopyOrder, CopyOutcome } from './copy-thread.ts'
import type { Holdings } from './inspect.ts'

/**
 * Copies a store as of one moment into a file of its own, which needs no log beside it, is on disk, and has been opened, checked
 * and counted. In a thread, so that whoever waits can break it off: then, and when it fails, the target is the caller's to remove.
 * `target` is not there yet, or empty.
 */
export async function copyStore(order: CopyOrder, signal?: AbortSignal): Promise<Holdings> {
  const thread = new Worker(new URL('copy-thread.ts', import.meta.url), { workerData: order })
  try {
    const [outcome] = (await once(thread, 'message', signal ? { signal } : {})) as [CopyOutcome]
    if ('mistake' in outcome) throw new Mistake(outcome.mistake.kind, outcome.mistake.message)
    return outcome.holdings
  } finally {
    // Broken off, it may yet find its target gone.
    thread.on('error', () => {})
    void thread.terminate()
  }
}
