import { DatabaseSync } from 'node:sqlite'
import { parentPort } from 'node:worker_threads'
import { type NewAuditEntry, withDetails } from '../../domain/audit.ts'
import type { Deployment } from '../../domain/deployment.ts'
import { conflict } from '../../domain/errors.ts'
import { syncFile } from '../../files/sync-to-disk.ts'
import { auditStatement } from '../../sql/audit.ts'
import { BUSY_TIMEOUT_MS, connect, finishFile } from '../connection.ts'
import { prepareFile } from '../prepare-database.ts'
import { isDiskFailure, isFull, toUserError } from '../sqlite-errors.ts'
import { Statements } from '../statements.ts'
import { answerRequests } from '../thread.ts'
import { type Holdings, inspectStore } from './inspect.ts'

export interface CopyRequest {
  /** The URL of the original. */
  source: string
  target: string
  /** The names of the two files, for messages. */
  sourceName: string
  targetName: string
  now: number
  /** Prepares the copy for a service that will run on it. */
  prepareForService?: Preparation
}

/**
 * Migrates the copy to this version, ends its sessions and sign-in links (those used since would work again), and adds an audit entry. Drops its
 * counts and its index, which may be wrong in the original: the service creates new ones.
 */
interface Preparation {
  deployment: Deployment
  entry: NewAuditEntry
}

const DROP_INDEX = `DELETE FROM pet_count; DELETE FROM pet_total; DELETE FROM pet_recount; DELETE FROM pet_renamed;
  INSERT INTO pet_search (pet_search) VALUES ('delete-all'); UPDATE pet_progress SET counted_to = 0, dropped_to = 0, indexed_to = 0`

answerRequests(parentPort, copy)

function copy({ source, sourceName, target, targetName, now, prepareForService }: CopyRequest): Holdings {
  try {
    vacuumInto(new URL(source), target)
  } catch (error) {
    const isFailure = isDiskFailure(error)
    if (isFailure && !isFull(error)) {
      throw conflict(`${sourceName} cannot be copied to ${targetName} (${(error as Error).message}).`)
    }
    // A full disk is a failure only where the index of the log has no room, which is beside the original.
    throw toUserError(isFull(error) && !isFailure ? targetName : sourceName, error)
  }
  if (prepareForService) prepareCopy(target, targetName, prepareForService)
  syncFile(target)
  // Anything wrong with the copy was wrong with the original.
  return inspectStore(target, now, sourceName)
}

/** One read transaction: concurrent commits are not in the copy, and do not wait for it. */
function vacuumInto(source: URL, target: string): void {
  using database = new DatabaseSync(source, { timeout: BUSY_TIMEOUT_MS })
  // If the original cannot be read, this says more about it than VACUUM does.
  database.exec('SELECT 1 FROM sqlite_schema')
  database.prepare('VACUUM INTO ?').run(target)
}

function prepareCopy(target: string, name: string, { deployment, entry }: Preparation): void {
  prepareFile(target, deployment, name)
  try {
    using database = connect(target)
    database.exec(`BEGIN; DELETE FROM session; DELETE FROM sign_in_link; ${DROP_INDEX}`)
    const { animals } = database.prepare('SELECT count(*) AS animals FROM pet').get() as { animals: bigint }
    new Statements(database).run(auditStatement(withDetails(entry, { animals })))
    database.exec('COMMIT')
    finishFile(database)
  } catch (error) {
    throw toUserError(name, error)
  }
}
