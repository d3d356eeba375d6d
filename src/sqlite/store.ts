import { statSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import type { DatabaseSync } from 'node:sqlite'
import type { Deployment } from '../domain/deployment.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import { INT64_MAX } from '../domain/int64.ts'
import type { RefusedCall } from '../domain/refusals.ts'
import type { AccountCounts } from '../domain/store/accounts.ts'
import type { Creation } from '../domain/store/animals.ts'
import type { Revision } from '../domain/store/revision.ts'
import type { OnCommit } from '../domain/store/watch.ts'
import type { KeyUsage } from '../domain/usage.ts'
import { termValues } from '../sql/callers.ts'
import { countsAfter } from '../sql/counts.ts'
import type { LongReadName, WriteName } from '../sql/operations.ts'
import { columnValues } from '../sql/pet-columns.ts'
import type { Query, Row, Statement } from '../sql/statement.ts'
import { SqlStore, type Wish, type WriteArgs, type WriteResult } from '../sql/store.ts'
import { inlineBatches } from './batches.ts'
import { connect } from './connection.ts'
import { identifyFiles } from './data-folder/file-identity.ts'
import { recordLastStore, stateOf } from './data-folder/last-store.ts'
import { databaseFile, logFile } from './data-folder/store-files.ts'
import { OPERATIONS, readLong } from './operations.ts'
import { prepareDatabase } from './prepare-database.ts'
import { Reader } from './reader.ts'
import { orReadFailure, toUserError } from './sqlite-errors.ts'
import { Statements } from './statements.ts'
import { threadedBatches } from './threaded-batches.ts'
import { Writer } from './writer.ts'

/** How often a health check writes to an idle store, to check that the disk accepts writes. */
const PROBE_INTERVAL_MS = 5_000

export interface SqliteStoreOptions {
  onCommit?: OnCommit
  /** Whether writes and long reads run in separate threads. A command has no calls that they could delay, and is faster without threads. */
  inThreads?: boolean
  /** How long a write waits for a writer in another process. */
  busyTimeoutMs?: number
}

/**
 * The embedded store: one file in one folder, no server. This thread only reads, which never waits (WAL). The writer thread carries out all
 * writes, and the reader thread all long reads; commands use neither. Other processes may write at any time.
 */
export class SqliteStore extends SqlStore {
  readonly cursorSecret: Uint8Array
  readonly #file: string
  readonly #database: DatabaseSync
  readonly #statements: Statements
  readonly #writer: Writer
  /** Without it, this thread runs the long reads, too. */
  readonly #reader: Reader | undefined
  #revision: Revision = { callers: 0, corrections: 0, newestPetId: 0n }
  #revisionReadAt = 0
  #dataVersion: unknown

  /** @throws UserError when the folder cannot be used, or the store has a newer version or belongs to the other deployment */
  static async open(folder: string, deployment: Deployment, options: SqliteStoreOptions = {}): Promise<SqliteStore> {
    prepareDatabase(folder, deployment)
    const file = databaseFile(folder)
    try {
      return new SqliteStore(file, options)
    } catch (error) {
      throw toUserError(file, error)
    }
  }

  private constructor(file: string, { onCommit = () => {}, inThreads = true, busyTimeoutMs }: SqliteStoreOptions) {
    super(OPERATIONS)
    this.#file = file
    this.#database = connect(file)
    this.#statements = new Statements(this.#database)
    // The writer expects the write-ahead log to exist; the first read creates it.
    this.cursorSecret = this.#get('SELECT cursor_secret FROM store')?.cursor_secret as Uint8Array
    this.#readRevision()
    const opened = { path: file, files: identifyFiles(file), busyTimeoutMs }
    this.#writer = new Writer(inThreads ? threadedBatches(opened) : inlineBatches(opened), (writes, milliseconds) => {
      this.#noticeCommit()
      onCommit(writes, milliseconds)
    })
    this.#reader = inThreads ? new Reader(opened) : undefined
  }

  /** Asks SQLite at most once per millisecond whether anything was written. Otherwise this costs a comparison. */
  revision(): Revision {
    const now = performance.now()
    if (now - this.#revisionReadAt >= 1) {
      this.#revisionReadAt = now
      const dataVersion = this.#get('PRAGMA data_version')?.data_version
      if (dataVersion !== this.#dataVersion) {
        this.#readRevision()
        this.#dataVersion = dataVersion
      }
    }
    return this.#revision
  }

  /** It is not known which callers have changed. */
  lastChangeOf(): number {
    return this.revision().callers
  }

  /** The writer gives ids in the order of its commits. */
  settledPetId(): bigint {
    return this.revision().newestPetId as bigint
  }

  /** A service needs this only when it starts, and starting the reader thread would delay that. */
  override listCounts(now: number): Promise<AccountCounts[]> {
    return this.read(countsAfter(now))
  }

  async saveCounts(counts: readonly AccountCounts[]): Promise<void> {
    if (counts.length > 0) await this.#writer.write('saveCounts', counts)
  }

  async addUsage(usage: readonly KeyUsage[]): Promise<void> {
    if (usage.length > 0) await this.#writer.write('addUsage', usage)
  }

  async addRefusals(calls: readonly RefusedCall[]): Promise<void> {
    if (calls.length > 0) await this.#writer.write('addRefusals', calls)
  }

  /** The only writer adds usage to where it is summed up. */
  async foldUsage(): Promise<void> {}

  async check(): Promise<void> {
    this.#get('SELECT deployment, (SELECT id FROM pet WHERE id = 0), (SELECT id FROM api_key WHERE id = 0) FROM store')
    if (this.revision().newestPetId === INT64_MAX)
      throw new StoreUnavailable('No animal can be added: every id is used.')
    this.#writer.fullDisk.ensureNone()
    await this.#writer.write(this.#wasWrittenRecently() ? 'touch' : 'probe')
  }

  async deleteExpired(now: number, firstUsageDay: number): Promise<void> {
    while (await this.#writer.write('deleteExpired', now, firstUsageDay));
  }

  /** Every process reads what has changed before it acts. */
  async settleChanges(): Promise<void> {}

  /** Records the state of the store in its folder. Only for a service: it holds the folder's lock, so no restore is running. */
  remember(): void {
    recordLastStore(this.#file, () => stateOf(this.#database))
  }

  async close(): Promise<void> {
    await this.#writer.close()
    await this.#reader?.close()
    this.#database.close()
  }

  protected async read<Result>(query: Query<Result>): Promise<Result> {
    return query.resultOf(this.#run(query))
  }

  protected async readLong(name: LongReadName, question: unknown, signal?: AbortSignal): Promise<unknown> {
    return this.#reader?.read(name, question, signal) ?? readLong(this.#statements, name, question)
  }

  protected write<Name extends WriteName>(name: Name, ...args: WriteArgs<Name>): Promise<WriteResult<Name>> {
    return this.#writer.write(name, ...args) as Promise<WriteResult<Name>>
  }

  protected async create(...[pet, now, request, terms]: Wish): Promise<Creation> {
    const values = terms && termValues(terms)
    if (request) return this.#writer.write('createPetOnce', pet, now, request, values)
    const id = await this.#writer.write('createPet', columnValues(pet), values)
    if (id === undefined) return { outcome: 'not_permitted' }
    return { outcome: 'created', pet: { ...pet, id } }
  }

  /** Whether this or another process has written to the disk within the last seconds, and no write has failed since. */
  #wasWrittenRecently(): boolean {
    const log = statSync(logFile(this.#file), { throwIfNoEntry: false })
    return !this.#writer.hasFailed && log !== undefined && Math.abs(Date.now() - log.mtimeMs) < PROBE_INTERVAL_MS
  }

  /** If the revision cannot be read right now, the next call reads it: callers that wait for their commit must not fail. */
  #noticeCommit(): void {
    try {
      this.#readRevision()
    } catch {
      this.#dataVersion = undefined
      this.#revisionReadAt = 0
    }
  }

  #readRevision(): void {
    const row = this.#get(
      "SELECT callers, corrections, (SELECT seq FROM sqlite_sequence WHERE name = 'pet') AS newest FROM revision",
    )
    if (!row) throw new Error('The table revision is empty.')
    this.#revision = {
      callers: Number(row.callers),
      corrections: Number(row.corrections),
      newestPetId: (row.newest as bigint | null) ?? 0n,
    }
  }

  #get(sql: string): Row | undefined {
    return this.#run({ sql, values: [] })[0]
  }

  #run(statement: Statement): Row[] {
    return orReadFailure(() => this.#statements.run(statement))
  }
}
