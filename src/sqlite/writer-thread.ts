import { parentPort, workerData } from 'node:worker_threads'
import { connect } from './connection.ts'
import { ensureUnchanged } from './identity.ts'
import type { StoreFile } from './writer.ts'
import { buildWrites, type Write } from './writes.ts'

/**
 * The thread that waits for the disk, so that no reader has to. Each message is a batch of writes: one transaction, one fsync.
 */
const port = parentPort as NonNullable<typeof parentPort>
const { path, files }: StoreFile = workerData
// To connect would make a file where there is none any more.
ensureUnchanged(files)
const database = connect(path)
const writes = buildWrites(database)
const begin = database.prepare('BEGIN IMMEDIATE')
const commit = database.prepare('COMMIT')
const rollback = database.prepare('ROLLBACK')
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')

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
 * them fails, each gets one of its own. Where none can begin (a lock is held for too long), all have failed at once. So have they
 * where the files are not the ones that were opened: what is committed into a deleted file is lost.
 */
function carryOut(batch: Write[]): unknown[] {
  let results: unknown[]
  try {
    ensureInPlace()
    begin.run()
  } catch (error) {
    return batch.map(() => error)
  }
  try {
    results = batch.map(apply)
    commit.run()
  } catch (error) {
    if (database.isTransaction) rollback.run()
    return batch.length === 1 ? [error] : batch.flatMap(write => carryOut([write]))
  }
  try {
    ensureInPlace()
    return results
  } catch (error) {
    return batch.map(() => error)
  }
}

function apply([name, ...args]: Write): unknown {
  const write = writes[name] as (...args: unknown[]) => unknown
  return write(...args)
}

/** What was acknowledged and is only in a log that has been deleted is brought into the database, as long as this process lives. */
function ensureInPlace(): void {
  try {
    ensureUnchanged(files)
  } catch (error) {
    try {
      checkpoint.all()
    } catch {
      // It is tried again with the next write.
    }
    throw error
  }
}
