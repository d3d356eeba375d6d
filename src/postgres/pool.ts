import { Pool as Connections, DatabaseError, type PoolClient } from 'pg'
import { StoreUnavailable } from '../domain/errors.ts'
import { answeredWithin, Connection } from './connection.ts'

/** Asks the database, with a question mark for each of the values, and gives the rows. */
export type Ask = <Row>(sql: string, values?: readonly unknown[]) => Promise<Row[]>

/** What a call does on its connection. */
type Work<Result> = (ask: Ask, execute: (statements: string) => Promise<unknown>) => Promise<Result>

interface PoolOptions {
  connections: number
  connectMs: number
  /** The longest that the database may work at one statement. */
  statementMs: number
  /** The longest that a call may take as a whole, the wait for a connection included. */
  callMs: number
  /**
   * For calls that may take long: before each, its connection must answer within this time. Their statements are not prepared, but
   * planned for the very values that they come with.
   */
  probeMs?: number
}

const IDLE_MS = 60_000
/** So that connections find their way to a database that has moved. */
const LIFETIME_S = 600
const MOST_ATTEMPTS = 4
const HANG_UP_MS = 1_000
const CLOSED = 'The store is closed.'
/** Of a statement that nobody waits for any more: its connection is as good as before. */
const NOT_ASKED = Promise.resolve(undefined)

/** Connections that calls take turns at. A call that fails costs its connection: nobody knows what that is still busy with. */
export class Pool {
  readonly #connections: Connections
  readonly #options: PoolOptions
  readonly #underway = new Set<Promise<unknown>>()
  readonly #busy = new Set<PoolClient>()
  readonly #open = new Set<Connection>()
  /** Ends the wait of each call that has no connection yet, for a reason. */
  readonly #waits = new Set<(why: string) => void>()
  #isClosed = false
  #isBrokenOff = false

  constructor(url: string, options: PoolOptions) {
    this.#options = options
    const open = this.#open
    this.#connections = new Connections({
      max: options.connections,
      idleTimeoutMillis: IDLE_MS,
      maxLifetimeSeconds: LIFETIME_S,
      // For the driver this is how long a call may wait for its turn, too; how long it may take to connect, each connection knows.
      connectionTimeoutMillis: options.callMs,
      Client: class extends Connection {
        constructor() {
          super(url, options)
          open.add(this)
          this.once('end', () => open.delete(this))
        }
      },
      onConnect: client => (client as Connection).configure(),
    })
    // Whoever uses a connection learns of its end by what it asks; of the end of one that nobody uses, the pool takes note.
    this.#connections.on('error', () => {})
  }

  /** How many calls wait for a connection. */
  get waiting(): number {
    return this.#connections.waitingCount
  }

  /** One statement. */
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]> {
    return this.#call(ask => ask<Row>(sql, values), isCollision)
  }

  /**
   * One statement that changes nothing: it is asked again if its connection is found to be gone, and not at all if the signal is aborted
   * before it has one: then it rejects with the signal's reason.
   */
  async read<Row>(sql: string, values?: readonly unknown[], signal?: AbortSignal): Promise<Row[]> {
    signal?.throwIfAborted()
    const rows = await this.#call(ask => (signal?.aborted ? NOT_ASKED : ask<Row>(sql, values)), isLoss)
    if (rows === undefined) throw signal?.reason
    return rows
  }

  /**
   * All that the work asks, or nothing of it. Also nothing if it is given up meanwhile: a server that stood still then finds requests
   * which nobody waits for any more, but the one to commit is not among them, unless it was the very one that was given up.
   * @param lock is asked first, so that those who must not meet take turns
   */
  transaction<Result>(work: (ask: Ask) => Promise<Result>, lock = ''): Promise<Result> {
    return this.#call(async (ask, execute) => {
      await execute(`BEGIN; ${lock}`)
      const result = await work(ask)
      await execute('COMMIT')
      return result
    }, isCollision)
  }

  /** Lets the calls that are under way end, or breaks them off; more are refused. */
  async close({ breakOff = false } = {}): Promise<void> {
    this.#isClosed = true
    this.#isBrokenOff = breakOff
    if (breakOff) {
      for (const giveUp of this.#waits) giveUp(CLOSED)
      for (const client of this.#busy) void client.end()
    } else {
      await Promise.allSettled(this.#underway)
    }
    await this.#connections.end()
    // A server that stands still does not hang up by itself. Nobody waits for this but the process, if there are such connections.
    setTimeout(() => {
      for (const connection of this.#open) connection.cut()
    }, HANG_UP_MS).unref()
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
    const deadline = performance.now() + this.#options.callMs
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#once(work, deadline)
      } catch (error) {
        const isLast = attempt === MOST_ATTEMPTS || this.#isClosed || performance.now() >= deadline
        if (isLast || !mayRepeat(error)) throw unavailable(error)
      }
    }
  }

  async #once<Result>(work: Work<Result>, deadline: number): Promise<Result> {
    const { probeMs } = this.#options
    const client = await this.#connect(deadline)
    this.#busy.add(client)
    try {
      if (this.#isBrokenOff) throw new Error(CLOSED)
      if (probeMs) await client.query({ text: 'SELECT 1', ...answeredWithin(probeMs) })
      const rest = () => {
        const restMs = deadline - performance.now()
        if (restMs <= 0) throw new Error('The database has taken too long.')
        return answeredWithin(restMs)
      }
      const ask: Ask = async (sql, values = []) => {
        const { name, text } = statementOf(sql)
        return (await client.query({ text, values: [...values], ...(!probeMs && { name }), ...rest() })).rows
      }
      const result = await work(ask, async text => client.query({ text, ...rest() }))
      client.release()
      return result
    } catch (error) {
      client.release(true)
      throw error
    } finally {
      this.#busy.delete(client)
    }
  }

  /** The driver's bound for this does not know what is left of the call's, and it lets those wait on that are in its queue when it ends. */
  #connect(deadline: number): Promise<PoolClient> {
    const { promise, resolve, reject } = Promise.withResolvers<PoolClient>()
    let isGivenUp = false
    const giveUp = (why: string) => {
      isGivenUp = true
      reject(new Error(why))
    }
    const timer = setTimeout(giveUp, deadline - performance.now(), 'The database has taken too long to connect.')
    this.#waits.add(giveUp)
    const settled = () => {
      clearTimeout(timer)
      this.#waits.delete(giveUp)
    }
    promise.then(settled, settled)
    this.#connections.connect().then(client => (isGivenUp ? client.release() : resolve(client)), reject)
    return promise
  }
}

interface Statement {
  /** What it is prepared as. */
  name: string
  text: string
}

const statements = new Map<string, Statement>()

function statementOf(sql: string): Statement {
  let statement = statements.get(sql)
  if (!statement) {
    const [beginning, ...others] = sql.split('?')
    const text = `${beginning}${others.map((part, index) => `$${index + 1}${part}`).join('')}`
    statement = { name: `petstore_${statements.size + 1}`, text }
    statements.set(sql, statement)
  }
  return statement
}

/** Errors of PostgreSQL, by their codes (postgresql.org/docs/current/errcodes-appendix.html). */
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'
const SHUTDOWN = '57P01'
const CRASH = '57P02'

/** Whether the database took everything back because of another call. */
function isCollision(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === SERIALIZATION_FAILURE || error.code === DEADLOCK)
}

/** Whether a connection has ended that was there before; another one may be had at once. */
function isLoss(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code === SHUTDOWN || error.code === CRASH
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'ECONNRESET' || code === 'EPIPE' || message === 'Connection terminated unexpectedly'
}

function unavailable(cause: unknown): StoreUnavailable {
  return new StoreUnavailable('The store cannot be used just now.', { cause })
}
