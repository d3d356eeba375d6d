import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/**
 * Takes the store's write lock, as another process may for a while; what is returned gives it back. Held by a thread of its own,
 * so that it is given back in time even if the service waits for it on the thread of the test.
 */
export async function lockWrites(folder: string): Promise<() => Promise<void>> {
  const worker = new Worker(new URL('write-lock-thread.ts', import.meta.url), { workerData: { folder } })
  await once(worker, 'message')
  return async () => {
    worker.postMessage('release')
    await once(worker, 'exit')
  }
}
