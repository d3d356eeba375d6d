import { Worker } from 'node:worker_threads'

/**
 * Runs a file in a thread and returns the one message that it posts. For work that would delay calls.
 * @param data becomes the thread's `workerData`
 * @throws the thread's error, or Error if it ended without a message
 */
export function loadInThread<Message>(file: URL, data?: unknown): Promise<Message> {
  const { promise, resolve, reject } = Promise.withResolvers<Message>()
  const thread = new Worker(file, { workerData: data })
  thread.unref()
  thread.once('message', resolve)
  thread.once('error', reject)
  thread.once('exit', () => reject(new Error(`The thread ${file} ended without a message.`)))
  return promise
}
