import type { NewAuditEntry } from '../domain/audit.ts'
import { StoreUnavailable, UserError } from '../domain/errors.ts'
import { ActionRefused } from '../domain/permit.ts'
import type { CommitOptions, PetChangeLine, PetLine, SyncLine } from '../domain/pet-transfer.ts'
import type { Category } from '../domain/store/animals.ts'
import type { Dialect } from './dialect.ts'
import { labelNew } from './label-changes.ts'
import type { Row } from './statement.ts'
import { carryOut, type Write } from './write.ts'

/** A connection for one import or export: the steps that differ between the databases. Throws `StoreFull` if the disk of the store is full. */
export interface TransferConnection {
  /** The columns of an animal, without its id. The staging tables have them too. */
  readonly columns: string
  readonly dialect: Dialect
  /** Runs a statement with a question mark for each of the values, and returns its rows. */
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>
  /** Begins a transaction in which all reads see the same snapshot. */
  beginSnapshot(): Promise<void>
  /**
   * Creates two temporary tables, for this import alone: `import_with_id` has id and line; `import_without_id` has the position of an animal
   * among those without an id, starting at 1. Both have the columns of an animal.
   */
  createStaging(): Promise<void>
  /**
   * Adds animals to these tables, in order, except those whose id is already staged.
   * @returns the line in which each id is staged; at least for the ids that were not added
   */
  stage(pets: readonly PetLine[]): Promise<ReadonlyMap<bigint, number>>
  /**
   * Creates a temporary table, for this import alone: `update_line` has id and line, the values in the line (`given_…`) and those of the animal
   * (`old_…`), null if there are none, and the columns that `resolved` sets.
   */
  createUpdateStaging(): Promise<void>
  findMissing(ids: readonly bigint[]): Promise<ReadonlySet<bigint>>
  /** Adds corrections to this table. Returns the same as `stage`. */
  stageChanges(changes: readonly PetChangeLine[]): Promise<ReadonlyMap<bigint, number>>
  /**
   * Creates two temporary tables, for this sync alone: `sync_line` has the lines, with the values in them (`given_…`); `sync_plan` is for what they
   * change, with the values of the animals before and after (`old_…`, `new_…`).
   */
  createSyncStaging(): Promise<void>
  /** Adds lines to the first of them. */
  stageSync(lines: readonly SyncLine[]): Promise<void>
  /** Changes these tables. */
  restage(sql: string, values?: readonly unknown[]): Promise<void>
  /** More assignments, each preceded by a comma: for the table above (`pet` is the animal), and for `pet` (`line` is the row of that table). */
  readonly resolved: string
  readonly applied: string
  /** Added to a SELECT: until the end of the transaction, no other connection changes its rows. */
  readonly holdRows: string
  /** Until the end of the transaction, other connections cannot change the staged animals. */
  beginUpdate(): Promise<void>
  /** Until the end of the transaction, other operators cannot change animals. */
  beginSync(): Promise<void>
  findHighestId(): Promise<bigint>
  /** Returns the highest id ever given. All that follows is one transaction. Until `giveIds`, other connections cannot create animals. */
  beginCommit(): Promise<bigint>
  /** The same in a transaction that has begun. */
  lockIds(): Promise<bigint>
  /** Gives this transaction all further ids up to this one. */
  giveIds(lastId: bigint): Promise<void>
  commit(): Promise<void>
  /** Rolls back a transaction that was not committed. Can be repeated. */
  close(): Promise<void>
}

export function readLabels(connection: TransferConnection): Promise<Category[]> {
  return connection.query<Category>('SELECT id, label FROM category ORDER BY id')
}

/**
 * Labels them as part of an entry.
 * @throws UserError when one of them has, or has had, a label by now
 */
export async function labelCategories(
  entryId: bigint,
  entry: NewAuditEntry,
  { newCategories = [] }: Pick<CommitOptions<unknown>, 'newCategories'>,
  connection: TransferConnection,
): Promise<void> {
  for (const category of newCategories) {
    if (await runWrite(labelNew(category, entryId, entry), connection)) continue
    throw new UserError('conflict', `Category ${category.id} was labelled while the file was read; import it again.`)
  }
}

/** Runs the statements of a write in the connection's transaction. */
export function runWrite<Result>(write: Write<Result>, connection: TransferConnection): Promise<Result> {
  return carryOut(write, ({ sql, values, holdsRows }) =>
    connection.query<Row>(holdsRows ? sql + connection.holdRows : sql, values),
  )
}

export async function orUnavailable<Result>(done: 'read' | 'written', work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UserError || error instanceof ActionRefused || error instanceof StoreUnavailable) throw error
    throw new StoreUnavailable(`The store cannot be ${done} at the moment.`, { cause: error })
  }
}
