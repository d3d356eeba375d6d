import { parentPort, workerData } from 'node:worker_threads'
import { packError } from '../domain/thread-error.ts'
import { connect } from './connection.ts'
import { LongReader } from './long-reader.ts'
import type { ReadCall } from './reader.ts'

/** The thread for reads that may take long. Each message is one read: its name and its question. */
const port = parentPort as NonNullable<typeof parentPort>
const reader = new LongReader(connect(workerData as string))

port.on('message', (call: ReadCall) => {
  try {
    port.postMessage({ result: reader.read(...call) })
  } catch (error) {
    port.postMessage({ error: packError(error) })
  }
})
