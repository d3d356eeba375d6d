import { StoreUnavailable } from '../domain/errors.ts'
import { isRefusal } from '../domain/permit.ts'
import type { Category } from '../domain/store/animals.ts'
import type { Dialect } from './dialect.ts'
import type { ColumnType } from './pet-columns.ts'
import type { Row, Value } from './statement.ts'
import { carryOut, type Write } from './write.ts'

/** A temporary table for the lines of one file. */
export interface StagingTable {
  name: string
  /** The columns with their types. A key is an integer that no two rows have. */
  columns: Readonly<Record<string, ColumnType | 'key'>>
  /** A column by which rows are found. */
  index?: string
}

/** A connection for one import or export: the steps that differ between the databases. Throws `StoreFull` if the disk of the store is full. */
export interface TransferConnection {
  readonly dialect: Dialect
  /** Added to a SELECT: until the end of the transaction, no other connection changes its rows. */
  readonly holdRows: string
  /** Runs a statement with a question mark for each of the values, and returns its rows. */
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>
  /** Begins a transaction in which all reads see the same snapshot. */
  beginSnapshot(): Promise<void>
  /** Creates temporary tables, for this file alone. Those with the columns of an animal have all `storedColumns`. */
  createStaging(tables: readonly StagingTable[]): Promise<void>
  /**
   * Adds rows to one of them, in order, except those whose key is already there. Returns how many were added.
   * @param rows have values for the first columns; the others are null
   */
  stage(table: StagingTable, rows: readonly (readonly Value[])[]): Promise<number>
  restage(sql: string, values?: readonly unknown[]): Promise<void>
  /** Begins the last step. Until the end of the transaction, other operators cannot change animals. */
  beginChange(): Promise<void>
  findHighestId(): Promise<bigint>
  /** Begins the last step, unless it has begun. Returns the highest id ever given. Until `giveIds`, other connections cannot create animals. */
  lockIds(): Promise<bigint>
  /** Gives this transaction all further ids up to this one. */
  giveIds(lastId: bigint): Promise<void>
  commit(): Promise<void>
  /** Rolls back a transaction that was not committed. Can be repeated. */
  close(): Promise<void>
}

/** @param types what the database calls them */
export function defineColumns({ columns }: StagingTable, types: Readonly<Record<ColumnType | 'key', string>>): string {
  return Object.entries(columns)
    .map(([name, type]) => `${name} ${types[type]}`)
    .join(', ')
}

export function readLabels(connection: TransferConnection): Promise<Category[]> {
  return connection.query<Category>('SELECT id, label FROM category ORDER BY id')
}

export function runWrite<Result>(write: Write<Result>, connection: TransferConnection): Promise<Result> {
  return carryOut(write, ({ sql, values, holdsRows }) =>
    connection.query<Row>(holdsRows ? sql + connection.holdRows : sql, values),
  )
}

export async function orUnavailable<Result>(done: 'read' | 'written', work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (isRefusal(error) || error instanceof StoreUnavailable) throw error
    throw new StoreUnavailable(`The store cannot be ${done} at the moment.`, { cause: error })
  }
}
