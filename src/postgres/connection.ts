import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, types } from 'pg'

/** The longest that a new connection may take, while callers of the service wait for an answer. */
export const SERVING_CONNECT_MS = 1_000
/** And where a person waits: the database may be far away, or have much to do. */
export const COMMAND_CONNECT_MS = 5_000

/** A session that holds a lock and says nothing more is cut off by the server. */
const IDLE_IN_TRANSACTION_MS = 2_000
/** A machine that is gone is noticed even while nothing is sent to it. */
const KEEP_ALIVE_AFTER_MS = 10_000
const HANG_UP_MS = 1_000

interface ConnectionOptions {
  connectMs: number
  /** How long each answer is waited for, unless a query says otherwise. Without it, as long as it takes. */
  answerMs?: number
  /** What the server breaks a statement off after; 0 for never. */
  statementMs: number
  /** More settings of the session, by their names in PostgreSQL. */
  settings?: Readonly<Record<string, string | number>>
}

/**
 * How this program connects to a database: every int8 is a bigint, and TLS is as the URL says. That a connection has ended is told by
 * its queries alone.
 */
export class Connection extends Client {
  readonly #socket: Socket
  readonly #connectMs: number
  readonly #settings: string

  constructor(url: string, { connectMs, answerMs, statementMs, settings }: ConnectionOptions) {
    const socket = new Socket()
    super({
      connectionString: withCheckedTls(url),
      application_name: 'petstore',
      connectionTimeoutMillis: connectMs,
      query_timeout: answerMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      stream: () => socket,
      types: { getTypeParser },
    })
    this.#socket = socket
    this.#connectMs = connectMs
    this.#settings = settingsOf({
      // What the server or the role has as its default may be another.
      default_transaction_isolation: "'read committed'",
      statement_timeout: statementMs,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      ...settings,
    })
    this.on('error', () => {})
  }

  async open(): Promise<this> {
    try {
      await this.connect()
      await this.configure()
      return this
    } catch (error) {
      this.cut()
      throw error
    }
  }

  /** To be done before anything else is asked. As parameters of the start, a pooler would refuse most of these settings. */
  async configure(): Promise<void> {
    await this.query({ text: this.#settings, ...answeredWithin(this.#connectMs) })
  }

  /** Ends in order: the server has then given up what the session held. One that stands still is not waited for. */
  async close(): Promise<void> {
    await Promise.race([this.end(), sleep(HANG_UP_MS, undefined, { ref: false })])
    this.cut()
  }

  /** What is under way fails. */
  cut(): void {
    this.#socket.destroy()
  }
}

/** How long the driver waits for an answer; it takes 0 for no limit. */
export function answeredWithin(milliseconds: number): { query_timeout: number } {
  return { query_timeout: Math.max(1, milliseconds) }
}

function settingsOf(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `SET ${name} = ${value}`)
    .join('; ')
}

/** Where a database is, without what is secret in its URL. */
export function nameOf(url: string): string {
  const { host, pathname, searchParams } = new URL(url)
  return `${host || searchParams.get('host') || 'localhost'}${pathname}`
}

/**
 * The driver checks the server's certificate and its name in each of these modes, and warns that a later version will do so in
 * `verify-full` alone. A URL with `uselibpqcompat=true` says that it wants what PostgreSQL's own programs do.
 */
function withCheckedTls(url: string): string {
  if (/[?&]uselibpqcompat=true(&|$)/.test(url)) return url
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full')
}

const getTypeParser: typeof types.getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === types.builtins.INT8 ? BigInt : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser
