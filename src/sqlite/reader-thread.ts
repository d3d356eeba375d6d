import { parentPort, workerData } from 'node:worker_threads'
import { connect } from './connection.ts'
import { isDamage } from './mistakes.ts'
import { buildReads } from './reads.ts'

const port = parentPort as NonNullable<typeof parentPort>
const reads = buildReads(connect(workerData as string))

port.on('message', ([name, ...args]: [name: keyof typeof reads, ...args: unknown[]]) => {
  const read = reads[name] as (...args: unknown[]) => unknown
  try {
    port.postMessage({ result: read(...args) })
  } catch (error) {
    port.postMessage({ error, isDamage: isDamage(error) })
  }
})
