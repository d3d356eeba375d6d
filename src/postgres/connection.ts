import { hash } from 'node:crypto'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type QueryResult, type QueryResultRow, types } from 'pg'
import { afterSilence } from '../domain/silence.ts'
import type { Row, Statement } from '../sql/statement.ts'
import { LimitedQuery, type StatementText } from './limited-query.ts'

/** Timeout for connecting while callers of the service are waiting. */
export const SERVING_CONNECT_MS = 1_000
/** The same while a person is waiting: the database may be far away, or busy. */
export const COMMAND_CONNECT_MS = 5_000

/** The server ends a session that is silent for this long while it may hold locks. */
const IDLE_IN_TRANSACTION_MS = 2_000
/** A machine that is gone is noticed even while nothing is sent to it. */
const KEEP_ALIVE_AFTER_MS = 10_000
/** The server probes a silent machine after 10 seconds and gives up after 15 more. Then its locks are released, instead of after hours. */
const SERVER_KEEP_ALIVE = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 }
const DISCONNECT_MS = 1_000

interface ConnectionOptions {
  connectMs: number
  /** The connection ends if the database is silent for this long while a query waits for its answer. By default, there is no limit. */
  answerMs?: number
  /** The time after which the server ends a statement; 0 for never. */
  statementMs: number
  /** Additional settings of its transactions, by their names in PostgreSQL. */
  settings?: Readonly<Record<string, string | number>>
}

interface Question extends StatementText {
  values?: readonly unknown[]
}

/** Why a call has failed, as part of a sentence. */
export const SILENT = 'no response arrived in time'

/**
 * A connection to a database. Every int8 is a bigint, and the URL determines whether TLS is used. If a connection ends, only its queries report
 * that. It keeps nothing in its session, which a pooler may give to others after each transaction.
 */
export class Connection extends Client {
  readonly #socket: Socket
  readonly #settings: string
  readonly #limit: NamedStatement
  readonly #url: string
  #isReplicated = true
  #isInTransaction = false

  constructor(url: string, { connectMs, answerMs, statementMs, settings }: ConnectionOptions) {
    const socket = new Socket()
    super({
      connectionString: withCheckedTls(url),
      application_name: 'petstore',
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      stream: () => socket,
      types: { getTypeParser },
    })
    this.#url = url
    this.#socket = socket
    this.#limit = statementOf(`SELECT set_config('statement_timeout', '${statementMs}', true)`)
    this.#settings = settingsOf({
      statement_timeout: statementMs,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      ...settings,
    })
    this.on('error', () => {})
    const connected = this.cutAfter(connectMs)
    this.once('connect', connected)
    this.once('end', connected)
    if (answerMs !== undefined) this.#awaitAnswers(answerMs)
    this.on('notice', ({ routine }) => {
      if (routine === WAITS_FOR_STANDBY) this.#isReplicated = false
    })
  }

  /** Replaces `query` on this object alone: a method of a subclass would have to repeat all of the driver's overloads. */
  #awaitAnswers(answerMs: number): void {
    let answered = () => {}
    const end = () => answered()
    this.query = ((...question: Parameters<Client['query']>) => {
      end()
      answered = this.cutAfter(answerMs)
      return super.query(...question)
    }) as Client['query']
    this.on('drain', end)
    this.on('end', end)
  }

  async open(): Promise<this> {
    try {
      await this.connect()
      return this
    } catch (error) {
      this.cut()
      throw explainTls(error, this.#url)
    }
  }

  /** @param more statements to run at once */
  async begin(more = '', isolation: 'READ COMMITTED' | 'REPEATABLE READ READ ONLY' = 'READ COMMITTED'): Promise<void> {
    this.#isInTransaction = true
    await this.query(`BEGIN ISOLATION LEVEL ${isolation}; ${this.#settings}; ${more}`)
  }

  async finish(outcome: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    await this.query(outcome)
    this.#isInTransaction = false
  }

  /**
   * Runs one statement in the transaction that has begun, or in one of its own. In both, the server ends it after its time. Only in the latter, it is
   * prepared by name: if a pooler has lost that, nothing has been run yet.
   */
  ask<Result extends QueryResultRow>({ name, text, values = [] }: Question): Promise<QueryResult<Result>> {
    if (this.#isInTransaction) return this.query<Result>({ text, values: [...values] })
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult<Result>>()
    const limit = name === undefined ? { text: this.#limit.text } : this.#limit
    const query = new LimitedQuery({ name, text, values: [...values], limit }, (error, result) =>
      error ? reject(error) : resolve(result as QueryResult<Result>),
    )
    this.query(query)
    return promise
  }

  /**
   * Must be called after a write: someone may have cancelled its wait for the standby, which PostgreSQL reports as a success with a warning.
   * @throws Error if a commit may be lost in a failover
   */
  ensureReplicated(): void {
    if (!this.#isReplicated)
      throw new Error('The wait for the standby was cancelled; the commit may be lost in a failover.')
  }

  async run({ sql, values }: Statement): Promise<Row[]> {
    return (await this.ask<Row>({ text: statementOf(sql).text, values })).rows
  }

  /** Ends normally, so that the server has released the locks of the session, but does not wait for a server that hangs. */
  async close(): Promise<void> {
    await Promise.race([this.end(), sleep(DISCONNECT_MS, undefined, { ref: false })])
    this.cut()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Ends immediately: running queries fail. */
  cut(): void {
    this.#socket.destroy()
  }

  /** Ends if the database is silent for this long. @returns a function that ends the wait */
  cutAfter(milliseconds: number): () => void {
    return afterSilence(milliseconds, () => this.#socket.destroy(new Error(SILENT)))
  }
}

/** The function of PostgreSQL that sends the warning; the text depends on the server's language. */
const WAITS_FOR_STANDBY = 'SyncRepWaitForLSN'

/**
 * Opens a connection for work of any duration, such as reading or writing all animals.
 * @param signal aborts the running work
 */
export function connectForLong(url: string, signal?: AbortSignal): Promise<Connection> {
  const settings = { idle_in_transaction_session_timeout: 0, ...SERVER_KEEP_ALIVE }
  const connection = new Connection(url, { connectMs: COMMAND_CONNECT_MS, statementMs: 0, settings })
  const abort = () => connection.cut()
  signal?.addEventListener('abort', abort)
  connection.on('end', () => signal?.removeEventListener('abort', abort))
  return connection.open()
}

interface NamedStatement extends StatementText {
  name: string
}

const statements = new Map<string, NamedStatement>()

/**
 * Numbers the parameters of a statement, as PostgreSQL requires, and sets the name under which it is prepared. A pooler may give the session to others,
 * so the same name must always mean the same statement.
 */
export function statementOf(sql: string): NamedStatement {
  return statements.getOrInsertComputed(sql, () => {
    const [beginning, ...others] = sql.split('?')
    const text = `${beginning}${others.map((part, index) => `$${index + 1}${part}`).join('')}`
    return { name: `petstore_${hash('sha256', text, 'base64url')}`, text }
  })
}

function settingsOf(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `SET LOCAL ${name} = ${value}`)
    .join('; ')
}

/**
 * The driver checks the certificate and the name of the server in each of these modes, and warns that a later version will do so only in
 * `verify-full`. A URL with `uselibpqcompat=true` selects the behaviour of PostgreSQL's own programs.
 */
function withCheckedTls(url: string): string {
  if (/[?&]uselibpqcompat=true(&|$)/.test(url)) return url
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full')
}

/** Names the option of the URL, or the variable, that demands TLS: in some modes, libpq would then connect without TLS. */
function explainTls(error: unknown, url: string): unknown {
  if (!(error instanceof Error) || !error.message.includes('does not support SSL')) return error
  const option = /[?&](sslmode=[\w-]+)/.exec(url)?.[1] ?? /[?&](ssl(?:=\w+|\w+))/.exec(url)?.[1] ?? 'PGSSLMODE'
  const remedy = 'turn TLS on there, or write sslmode=disable for an unencrypted connection'
  return new Error(`${option} requires TLS here, but the server offers none; ${remedy}.`, { cause: error })
}

const getTypeParser: typeof types.getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === types.builtins.INT8 ? BigInt : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser
