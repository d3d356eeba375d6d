import { parentPort, workerData } from 'node:worker_threads'
import type { Write } from '../sql/write.ts'
import { connect } from './connection.ts'
import { ensureFilesInPlace } from './data-folder/file-identity.ts'
import { Statements } from './statements.ts'
import type { StoreFile } from './writer.ts'
import { WRITES, type WriteCall } from './writes.ts'

/** The thread that waits for the disk, so that no reader has to. Each message is a batch of writes: one transaction, one fsync. */
const port = parentPort as NonNullable<typeof parentPort>
const { path, files }: StoreFile = workerData
// Connecting would create a file in place of one that is gone.
ensureFilesInPlace(files)
const database = connect(path)
const statements = new Statements(database)
const begin = database.prepare('BEGIN IMMEDIATE')
const commit = database.prepare('COMMIT')
const rollback = database.prepare('ROLLBACK')
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')

port.on('message', (batch: WriteCall[] | 'close') => {
  if (batch === 'close') {
    database.close()
    port.close()
  } else {
    port.postMessage(carryOut(batch))
  }
})

/**
 * Returns the result of each write, or its error. Writes share a transaction for speed alone: if one of them fails, each gets its own
 * transaction. If the transaction cannot begin (a lock is held for too long), all of them fail at once; so they do if the files are not
 * the ones that were opened, as what is committed into a deleted file is lost.
 */
function carryOut(batch: WriteCall[]): unknown[] {
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

function apply([name, ...args]: WriteCall): unknown {
  const write = WRITES[name] as (...args: unknown[]) => Write<unknown>
  return statements.carryOut(write(...args))
}

/**
 * If the log has been deleted, what was acknowledged and is only in that log is still brought into the database while this process lives.
 */
function ensureInPlace(): void {
  try {
    ensureFilesInPlace(files)
  } catch (error) {
    try {
      checkpoint.all()
    } catch {
      // The next write tries it again.
    }
    throw error
  }
}
