import { parentPort, workerData } from 'node:worker_threads'
import { connect } from './connection.ts'
import { leadsTo } from './identity.ts'
import type { StoreFile } from './writer.ts'
import { buildWrites, type Write } from './writes.ts'

/**
 * The thread that waits for the disk, so that no reader has to. Each message is a batch of writes: one transaction, one fsync.
 */
const port = parentPort as NonNullable<typeof parentPort>
const { path, identity }: StoreFile = workerData
// To connect would make a file where there is none any more.
ensureStillThere()
const database = connect(path)
const writes = buildWrites(database)
const begin = database.prepare('BEGIN IMMEDIATE')
const commit = database.prepare('COMMIT')
const rollback = database.prepare('ROLLBACK')

port.on('message', (batch: Write[] | 'close') => {
  if (batch === 'close') {
    database.close()
    port.close()
  } else {
    port.postMessage(carryOut(batch))
  }
})

/**
 * What came of each write: its result, or the error that it failed with. Writes share a transaction for speed alone: where one of
 * them fails, each gets one of its own. Where none can begin (a lock is held for too long), all have failed at once.
 */
function carryOut(batch: Write[]): unknown[] {
  try {
    ensureStillThere()
    begin.run()
  } catch (error) {
    return batch.map(() => error)
  }
  try {
    const results = batch.map(apply)
    commit.run()
    return results
  } catch (error) {
    if (database.isTransaction) rollback.run()
    return batch.length === 1 ? [error] : batch.flatMap(write => carryOut([write]))
  }
}

function apply([name, ...args]: Write): unknown {
  const write = writes[name] as (...args: unknown[]) => unknown
  return write(...args)
}

function ensureStillThere(): void {
  if (!leadsTo(path, identity)) throw new Error('The file of the store has been deleted or replaced; start again.')
}
