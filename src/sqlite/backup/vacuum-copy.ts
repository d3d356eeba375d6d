import { orAborted } from '../../domain/or-aborted.ts'
import { Thread } from '../thread.ts'
import type { Holdings } from './inspect.ts'
import type { CopyRequest } from './vacuum-copy-thread.ts'

/**
 * Copies a snapshot of a store to one file without a log, and syncs, checks and counts the copy. The target must be missing or empty. Runs
 * in a thread, so that it can be aborted; after an abort or a failure, the caller removes the target.
 */
export async function copyStore(request: CopyRequest, signal?: AbortSignal): Promise<Holdings> {
  const thread = new Thread<CopyRequest, Holdings>(new URL('vacuum-copy-thread.ts', import.meta.url))
  try {
    return await orAborted(thread.ask(request), signal)
  } finally {
    void thread.close()
  }
}
