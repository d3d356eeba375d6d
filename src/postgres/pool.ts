import { Pool as Connections, DatabaseError, type PoolClient } from 'pg'
import { StoreBusy, StoreFull, StoreUnavailable, type UserError } from '../domain/errors.ts'
import { type ActionRefused, isRefusal } from '../domain/permit.ts'
import { RecentFailure } from '../domain/recent-failure.ts'
import { afterSilence } from '../domain/silence.ts'
import { Connection, SILENT, statementOf } from './connection.ts'

/** Runs a statement with a question mark for each value, and returns its rows. */
export type Ask = <Row>(sql: string, values?: readonly unknown[]) => Promise<Row[]>

/** The part of a call that needs a connection. */
type Work<Result> = (ask: Ask, connection: Connection, time: TimeOfCall) => Promise<Result>

/** The time that a call may take. */
class TimeOfCall {
  isOver = false
  /** Ends what the call is waiting for. */
  giveUp = () => {}
  #end = () => {}

  constructor(milliseconds: number) {
    this.restart(milliseconds)
  }

  restart(milliseconds: number): void {
    this.#end()
    this.#end = afterSilence(milliseconds, () => {
      this.isOver = true
      this.giveUp()
    })
  }

  [Symbol.dispose](): void {
    this.#end()
  }
}

interface PoolOptions {
  connections: number
  connectMs: number
  /** Timeout of one statement in the database. */
  statementMs: number
  /** Timeout of a whole call, including the wait for a connection. */
  callMs: number
  /**
   * For calls that may take long: before each call, its connection must respond within this time. Their statements are not prepared, so that
   * they are planned for their values.
   */
  probeMs?: number
}

const IDLE_MS = 60_000
/** If the host name of the URL is moved to another server, connections to the old one end within this time. */
const LIFETIME_S = 600
const MAX_ATTEMPTS = 4
const DISCONNECT_MS = 1_000
const LEAVE_MS = 5_000
const CLOSED = 'The store is closed.'
/** For a statement whose caller is gone: its connection can still be used. */
const SKIPPED = Promise.resolve(undefined)

/** A pool of connections. If a call fails, its connection is closed: it may still be busy with a statement. */
export class Pool {
  /** The last call for which the disk was too full, or a right was missing: others may succeed meanwhile. */
  readonly lastingFailure = new RecentFailure()
  readonly #connections: Connections
  readonly #options: PoolOptions
  readonly #underway = new Set<Promise<unknown>>()
  readonly #open = new Set<Connection>()
  readonly #idle = new Set<Connection>()
  /** To be closed after their call. */
  readonly #outdated = new WeakSet<Connection>()
  /** Each function ends the wait of one call for a connection, with a reason. */
  readonly #waits = new Set<(why: string) => void>()
  /** Whether statements are prepared by name, which saves the database half of the work of a read. */
  #arePrepared: boolean
  #isClosed = false
  #isAborted = false

  constructor(url: string, options: PoolOptions) {
    this.#options = options
    this.#arePrepared = !options.probeMs
    const [open, idle] = [this.#open, this.#idle]
    this.#connections = new Connections({
      max: options.connections,
      idleTimeoutMillis: IDLE_MS,
      maxLifetimeSeconds: LIFETIME_S,
      // A call gives up before that, and then leaves the queue. Each connection has its own connect timeout.
      connectionTimeoutMillis: options.callMs + LEAVE_MS,
      Client: class extends Connection {
        constructor() {
          super(url, options)
          open.add(this)
          this.once('end', () => {
            open.delete(this)
            idle.delete(this)
          })
        }
      },
    })
    // When a connection in use ends, its queries fail; when an idle one ends, the pool removes it.
    this.#connections.on('error', () => {})
    this.#connections.on('acquire', client => idle.delete(connectionOf(client)))
    this.#connections.on('release', (_error, client) => idle.add(connectionOf(client)))
  }

  get waiting(): number {
    return this.#connections.waitingCount
  }

  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]> {
    return this.#call(ask => ask<Row>(sql, values), isCollision)
  }

  /**
   * Runs one statement that changes nothing, and retries it if its connection turns out to be gone. If the signal is aborted before the call
   * has a connection, the statement does not run, and the call rejects with the signal's reason.
   */
  async read<Row>(sql: string, values?: readonly unknown[], signal?: AbortSignal): Promise<Row[]> {
    signal?.throwIfAborted()
    const rows = await this.#call(ask => (signal?.aborted ? SKIPPED : ask<Row>(sql, values)), isLoss)
    if (rows === undefined) throw signal?.reason
    return rows
  }

  /**
   * Runs all statements of the work, or none. None also if the call times out because the server hangs: when that server resumes, it receives
   * the statements of the call but not the commit, unless the call timed out during the commit.
   * @param lock runs first, to serialize transactions that must not overlap
   * @param longMs for work that may take longer than a call: its timeout, once the lock has been acquired
   * @throws ActionRefused or UserError if the work does
   */
  async transaction<Result>(work: (ask: Ask) => Promise<Result>, lock = '', longMs?: number): Promise<Result> {
    const outcome = await this.#call(async (ask, connection, time) => {
      await connection.begin(lock)
      if (longMs !== undefined) {
        await connection.query(`SET LOCAL statement_timeout = ${longMs}`)
        time.restart(longMs)
      }
      const result = await work(ask).catch(orRefused)
      await connection.finish(isRefusal(result) ? 'ROLLBACK' : 'COMMIT')
      return result
    }, isCollision)
    if (isRefusal(outcome)) throw outcome
    return outcome
  }

  /** Closes all connections, those in use after their call: their server may have become a former primary. */
  replaceConnections(): void {
    for (const connection of this.#open) {
      if (this.#idle.has(connection)) connection.cut()
      else this.#outdated.add(connection)
    }
  }

  /** Waits for the calls in progress, but no longer than for a call, and then aborts them. Further calls are refused. */
  async close({ abort = false } = {}): Promise<void> {
    this.#isClosed = true
    if (abort) this.#abort()
    else {
      const ended = afterSilence(this.#options.callMs, () => this.#abort())
      await Promise.allSettled(this.#underway)
      ended()
    }
    await this.#connections.end()
    // A server that hangs does not close its connections, and they would keep the process running.
    setTimeout(() => {
      for (const connection of this.#open) connection.cut()
    }, DISCONNECT_MS).unref()
  }

  #abort(): void {
    this.#isAborted = true
    for (const giveUp of this.#waits) giveUp(CLOSED)
    for (const connection of this.#open) connection.cut()
  }

  #call<Result>(work: Work<Result>, mayRepeat: (error: unknown) => boolean): Promise<Result> {
    if (this.#isClosed) return Promise.reject(unavailable(new Error(CLOSED)))
    const call = this.#attempt(work, mayRepeat)
    this.#underway.add(call)
    const end = () => this.#underway.delete(call)
    call.then(end, end)
    return call
  }

  async #attempt<Result>(work: Work<Result>, mayRepeat: (error: unknown) => boolean): Promise<Result> {
    using time = new TimeOfCall(this.#options.callMs)
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#once(work, time)
      } catch (error) {
        if (time.isOver) throw unavailable(new Error(SILENT, { cause: error }))
        const isLast = attempt === MAX_ATTEMPTS || this.#isClosed
        const isByPooler = isUnprepared(error)
        if (isByPooler) this.#arePrepared = false
        if (isLast || !(isByPooler || mayRepeat(error))) throw this.#failureOf(error)
      }
    }
  }

  #failureOf(cause: unknown): StoreUnavailable {
    const failure = unavailable(cause)
    if (isFull(cause) || isDenied(cause)) this.lastingFailure.note(failure)
    return failure
  }

  async #once<Result>(work: Work<Result>, time: TimeOfCall): Promise<Result> {
    const client = await this.#connect(time)
    const connection = connectionOf(client)
    time.giveUp = () => connection.cut()
    try {
      if (this.#isAborted) throw new Error(CLOSED)
      await this.#probe(connection)
      const ask = async <Row>(sql: string, values: readonly unknown[] = []) => {
        const { name, text } = statementOf(sql)
        const statement = this.#arePrepared ? { name, text } : { text }
        return (await connection.ask({ ...statement, values })).rows as Row[]
      }
      const result = await work(ask, connection, time)
      connection.ensureReplicated()
      client.release(this.#outdated.has(connection))
      return result
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  async #probe(connection: Connection): Promise<void> {
    const { probeMs } = this.#options
    if (!probeMs) return
    const answered = connection.cutAfter(probeMs)
    await connection.query('SELECT 1').finally(answered)
  }

  /** If the pool ends, the driver leaves its queue waiting. */
  #connect(time: TimeOfCall): Promise<PoolClient> {
    const { promise, resolve, reject } = Promise.withResolvers<PoolClient>()
    let isGivenUp = false
    const giveUp = (why: string) => {
      isGivenUp = true
      reject(new Error(why))
    }
    time.giveUp = () => giveUp(SILENT)
    this.#waits.add(giveUp)
    const settled = () => this.#waits.delete(giveUp)
    promise.then(settled, settled)
    this.#connections.connect().then(client => (isGivenUp ? client.release() : resolve(client)), reject)
    return promise
  }
}

/** Every client of the pool is one. */
function connectionOf(client: PoolClient): Connection {
  return client as unknown as Connection
}

/** Errors of PostgreSQL, by their codes (postgresql.org/docs/current/errcodes-appendix.html). */
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'
const SHUTDOWN = '57P01'
const CRASH = '57P02'
const DISK_FULL = '53100'
const DENIED = '42501'
const QUERY_CANCELED = '57014'
const NO_SUCH_STATEMENT = '26000'
const STATEMENT_EXISTS = '42P05'

/** Whether the database rolled back because of a conflict with another call. */
function isCollision(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === SERIALIZATION_FAILURE || error.code === DEADLOCK)
}

/** Whether a pooler has given this connection another session since it prepared a statement. Nothing has been run. */
function isUnprepared(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === NO_SUCH_STATEMENT || error.code === STATEMENT_EXISTS)
}

/** Whether an existing connection was lost, so that a new one may work. */
function isLoss(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code === SHUTDOWN || error.code === CRASH
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'ECONNRESET' || code === 'EPIPE' || message === 'Connection terminated unexpectedly'
}

export function isFull(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === DISK_FULL
}

export function isDenied(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.code === DENIED
}

/** Whether the database has ended a statement because of its timeout, most likely while it waited for a lock. */
function isTooLate(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === QUERY_CANCELED
}

/** A refusal is no failure of its connection. */
function orRefused(error: unknown): ActionRefused | UserError {
  if (isRefusal(error)) return error
  throw error
}

function unavailable(cause: unknown): StoreUnavailable {
  if (isFull(cause)) return new StoreFull(cause)
  if (isTooLate(cause)) return new StoreBusy(cause)
  return new StoreUnavailable('The store cannot be used right now.', { cause })
}
