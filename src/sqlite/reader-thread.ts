import { parentPort, workerData } from 'node:worker_threads'
import type { LongReads } from '../sql/long-reads.ts'
import { connect } from './connection.ts'
import { LongReader } from './long-reader.ts'
import { isDamage } from './sqlite-errors.ts'

/** The thread for reads that may take long. Each message is one read: its name and its arguments. */
const port = parentPort as NonNullable<typeof parentPort>
const reader = new LongReader(connect(workerData as string))

port.on('message', ([name, ...args]: [name: keyof LongReads, ...args: Parameters<LongReads[keyof LongReads]>]) => {
  try {
    port.postMessage({ result: reader.read(name, args) })
  } catch (error) {
    port.postMessage({ error, isDamage: isDamage(error) })
  }
})
