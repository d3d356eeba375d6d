import { entryOf } from '../domain/administration/acting.ts'
import type { Actor } from '../domain/audit.ts'
import type { Deployment } from '../domain/deployment.ts'
import { Mistake } from '../domain/errors.ts'
import { StoreTarget } from '../postgres/store-target.ts'
import { type Extent, type Extents, isSame, measure, TABLES, type Table, type TextRow } from '../sql/tables.ts'
import { StoreSource } from '../sqlite/store-source.ts'

interface MoveRequest {
  actor: Actor
  /** Unix milliseconds. */
  clock: () => number
  deployment: Deployment
  /** The folder of the embedded store. */
  from: string
  /** The URL of a PostgreSQL database. */
  to: string
  /** Breaks the move off, which the next one goes on with. */
  signal: AbortSignal
  onProgress(progress: MoveProgress): void
}

interface MoveProgress {
  doing: 'Reading' | 'Writing' | 'Checking'
  /** Rows that are done, of those that were to be done when it began. */
  rows: number
  of: number
}

export interface MoveReport {
  /** Whether an earlier move that had been broken off was gone on with. */
  isResumed: boolean
  tables: MovedTable[]
  /** The highest id that an animal was ever given. */
  newestPetId: bigint
}

interface MovedTable extends Extent {
  name: string
}

/**
 * Moves all that the embedded store holds into an empty PostgreSQL database, where nothing can work with it until all of it is
 * there, and has been read back and found the same. The embedded store is left as it was, marked so that it is not used by mistake.
 * @throws Mistake when a service is running on the one, the other holds something else, or what came is not what was sent
 */
export async function moveStore(request: MoveRequest): Promise<MoveReport> {
  const { from, to, deployment } = request
  const source = StoreSource.open(from, deployment)
  try {
    const target = await StoreTarget.open(to, deployment, request.signal)
    try {
      return await move(source, target, request)
    } finally {
      await target.close()
    }
  } finally {
    source.close()
  }
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

  const sent = await measureAll(table => source.read(table), follow('Reading', source.countRows()))
  const written = await target.begin(sent)
  const onWritten = follow('Writing', rowsOf(sent) - rowsOf(written))
  for (const table of TABLES) {
    for await (const batch of source.read(table, written.get(table.name)?.lastKey)) {
      await target.write(table, batch)
      onWritten(batch)
    }
  }
  const received = await measureAll(table => target.read(table), follow('Checking', rowsOf(sent)))
  ensureSame(sent, received)

  const lastIds = source.lastIds()
  const counts = { animals: String(sent.get('pet')?.rows), accounts: String(sent.get('account')?.rows) }
  const now = clock()
  await target.finish(lastIds, entryOf({ actor, now }, 'store.move', counts))
  source.markMoved(now)
  const tables = TABLES.map(({ name }) => ({ name, ...(sent.get(name) as Extent) }))
  return { isResumed: rowsOf(written) > 0, tables, newestPetId: lastIds.pet }
}

async function measureAll(
  read: (table: Table) => AsyncIterable<readonly TextRow[]>,
  onRead: (batch: readonly TextRow[]) => void,
): Promise<Extents> {
  const extents = new Map<string, Extent>()
  for (const table of TABLES) extents.set(table.name, await measure(read(table), onRead))
  return extents
}

function rowsOf(extents: ReadonlyMap<string, { rows: number }>): number {
  return extents.values().reduce((sum, { rows }) => sum + rows, 0)
}

/** @throws Mistake that names each table of which the database holds something else than was sent */
function ensureSame(sent: Extents, received: Extents): void {
  const wrong = TABLES.filter(({ name }) => !isSame(sent.get(name), received.get(name)))
  if (wrong.length === 0) return
  const told = wrong.map(({ name }) => `${name} (${sent.get(name)?.rows} rows sent, ${received.get(name)?.rows} found)`)
  throw new Mistake(
    'conflict',
    `What the database holds is not what was sent, in ${told.join(', ')}: somebody has changed it. Empty it, and move again.`,
  )
}
