import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/**
 * Takes the store's write lock, as another process may for a while, until the returned function is called. A separate thread holds it, so that it is
 * released in time even if the service waits for it on the test's thread.
 */
export async function lockWrites(folder: string): Promise<() => Promise<void>> {
  const worker = new Worker(new URL('write-lock-thread.ts', import.meta.url), { workerData: { folder } })
  await once(worker, 'message')
  return async () => {
    worker.postMessage('release')
    await once(worker, 'exit')
  }
}
