import { entryOf } from '../domain/administration/context.ts'
import type { Actor } from '../domain/audit.ts'
import type { Deployment } from '../domain/deployment.ts'
import { conflict } from '../domain/errors.ts'
import { StoreTarget } from '../postgres/store-target.ts'
import { type Extent, type Extents, isSame, measure, TABLE_NAMES, type TableName, type TextRow } from '../sql/tables.ts'
import { StoreSource } from '../sqlite/store-source.ts'

interface MoveRequest {
  actor: Actor
  /** Unix milliseconds. */
  clock: () => number
  deployment: Deployment
  from: string
  to: string
  /** Interrupts the move; the same request resumes it. */
  signal: AbortSignal
  onProgress(progress: MoveProgress): void
}

interface MoveProgress {
  doing: 'Reading' | 'Writing' | 'Checking'
  /** Rows done so far. */
  rows: number
  /** The total number of rows, as counted at the start. */
  of: number
}

export interface MoveReport {
  isResumed: boolean
  tables: MovedTable[]
  /** The highest id ever given to an animal. */
  newestPetId: bigint
}

interface MovedTable extends Extent {
  name: TableName
}

/**
 * Moves the embedded store to an empty PostgreSQL database. The database cannot be opened until all rows were read back and are identical.
 * The embedded store is unchanged, except for a mark that keeps services from starting on it by mistake.
 * @throws UserError when a service runs on either side, the database has other contents, or its rows differ from those that were sent
 */
export async function moveStore(request: MoveRequest): Promise<MoveReport> {
  const { from, to, deployment } = request
  using source = StoreSource.open(from, deployment)
  await using target = await StoreTarget.open(to, deployment, request.signal)
  return await move(source, target, request)
}

async function move(source: StoreSource, target: StoreTarget, request: MoveRequest): Promise<MoveReport> {
  const { actor, clock, signal, onProgress } = request
  const follow = (doing: MoveProgress['doing'], of: number) => {
    let rows = 0
    return (batch: readonly TextRow[]) => {
      rows += batch.length
      onProgress({ doing, rows, of })
      signal.throwIfAborted()
    }
  }

  const measureAll = async (from: StoreSource | StoreTarget, onRead: (batch: readonly TextRow[]) => void) => {
    const extents = new Map<TableName, Extent>()
    for (const table of source.tables) extents.set(table.name, await measure(from.read(table), onRead))
    return extents
  }

  const sent = await measureAll(source, follow('Reading', source.countRows()))
  const written = await target.begin(sent)
  const onWritten = follow('Writing', countRows(sent) - countRows(written))
  for (const table of source.tables) {
    for await (const batch of source.read(table, written.get(table.name)?.lastKey)) {
      await target.write(table, batch)
      onWritten(batch)
    }
  }
  ensureSame(sent, await measureAll(target, follow('Checking', countRows(sent))))

  const lastIds = source.lastIds()
  const counts = { animals: sent.get('pet')?.rows, accounts: sent.get('account')?.rows }
  const now = clock()
  await target.finish(lastIds, entryOf({ actor, now }, 'store.move', { details: counts }))
  source.markMoved(now)
  const tables = TABLE_NAMES.map(name => ({ name, ...(sent.get(name) as Extent) }))
  return { isResumed: countRows(written) > 0, tables, newestPetId: lastIds.pet }
}

function countRows(extents: ReadonlyMap<TableName, { rows: number }>): number {
  return extents.values().reduce((sum, { rows }) => sum + rows, 0)
}

/** @throws UserError that names each table whose rows differ from those that were sent */
function ensureSame(sent: Extents, received: Extents): void {
  const changed = TABLE_NAMES.filter(name => !isSame(sent.get(name), received.get(name)))
  if (changed.length === 0) return
  const tables = changed.map(name => `${name} (${sent.get(name)?.rows} rows sent, ${received.get(name)?.rows} found)`)
  throw conflict(
    `The database differs from what was sent in ${tables.join(', ')}: another program changed it. Empty the database and start over.`,
  )
}
