import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Scalar's script for browsers. Read in a thread of its own: it takes long enough to be felt by the calls being served. */
export async function loadScalar(): Promise<Uint8Array> {
  const thread = new Worker(new URL('scalar-thread.ts', import.meta.url))
  thread.unref()
  const [script] = await once(thread, 'message')
  return script
}
