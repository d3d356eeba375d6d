import { Worker } from 'node:worker_threads'

/**
 * The one message of a thread that is started for it: for what takes long enough to be felt by the calls being served.
 * @param data what the thread finds as its `workerData`
 * @throws what the thread threw; Error if it ended without a message
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
