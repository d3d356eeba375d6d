import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { NewAuditEntry } from '../domain/audit.ts'
import type { Deployment } from '../domain/deployment.ts'
import { Mistake } from '../domain/errors.ts'
import { syncFile } from '../files/sync-to-disk.ts'
import { buildAudit } from './audit.ts'
import { connect, prepareFile } from './connection.ts'
import { type Holdings, inspectStore } from './inspect.ts'
import { isDiskFailure, isFull, mistakeOf } from './mistakes.ts'

/** What the thread is told to do: `source` is where SQLite opens the original; the names are what a person knows the files by. */
export interface CopyOrder {
  source: string
  sourceName: string
  target: string
  targetName: string
  now: number
  /** The copy is to be a store that a service works with. */
  revive?: Revival
}

/** What becomes of a copy that is to be a store again: it is brought to this version, nobody is signed in, and its audit log tells of it. */
interface Revival {
  deployment: Deployment
  entry: NewAuditEntry
}

export type CopyOutcome = { holdings: Holdings } | { mistake: Pick<Mistake, 'kind' | 'message'> }

parentPort?.postMessage(outcome(workerData as CopyOrder))

function outcome(order: CopyOrder): CopyOutcome {
  try {
    return { holdings: copy(order) }
  } catch (error) {
    if (!(error instanceof Mistake)) throw error
    return { mistake: { kind: error.kind, message: error.message } }
  }
}

function copy({ source, sourceName, target, targetName, now, revive }: CopyOrder): Holdings {
  try {
    vacuumInto(new URL(source), target)
  } catch (error) {
    if (isDiskFailure(error)) {
      throw new Mistake('conflict', `${sourceName} cannot be copied to ${targetName} (${(error as Error).message}).`)
    }
    throw mistakeOf(isFull(error) ? targetName : sourceName, error)
  }
  if (revive) reviveCopy(target, targetName, revive)
  syncFile(target)
  // Whatever is wrong with the copy was wrong with the original.
  return inspectStore(target, now, sourceName)
}

/** One read transaction: what is committed meanwhile is not in the copy, and nobody waits for it. */
function vacuumInto(source: URL, target: string): void {
  const database = new DatabaseSync(source, { timeout: 5_000 })
  try {
    database.prepare('VACUUM INTO ?').run(target)
  } finally {
    database.close()
  }
}

function reviveCopy(target: string, name: string, { deployment, entry }: Revival): void {
  prepareFile(target, deployment, name)
  try {
    const database = connect(target)
    try {
      database.exec('BEGIN; DELETE FROM session')
      const { animals } = database.prepare('SELECT count(*) AS animals FROM pet').get() as { animals: bigint }
      buildAudit(database)({ ...entry, details: { ...entry.details, animals: String(animals) } })
      database.exec('COMMIT')
    } finally {
      database.close()
    }
  } catch (error) {
    throw mistakeOf(name, error)
  }
}
