import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { Mistake } from '../domain/errors.ts'
import { type Holdings, inspectStore } from './inspect.ts'
import { isFull, mistakeOf } from './mistakes.ts'
import { syncToDisk } from './sync-to-disk.ts'

/** What the thread is told to do: `source` is where SQLite opens the original. */
export interface CopyOrder {
  source: string
  sourceFile: string
  target: string
  now: number
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

function copy({ source, sourceFile, target, now }: CopyOrder): Holdings {
  try {
    vacuumInto(new URL(source), target)
  } catch (error) {
    throw mistakeOf(isFull(error) ? target : sourceFile, error)
  }
  syncToDisk(target)
  return inspectStore(target, now)
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
