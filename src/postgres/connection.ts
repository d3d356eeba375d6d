import { Client, type ClientConfig, types } from 'pg'

/** The longest that a new connection may take. */
const CONNECT_MS = 1_000
/** Another instance that holds a lock and says nothing more is cut off by the server. */
const IDLE_IN_TRANSACTION_MS = 2_000

/**
 * How this program connects to a database: every int8 is a bigint, and TLS is as the URL says.
 * @param statementMs what the server breaks a statement off after
 */
export function connectionConfig(url: string, statementMs: number): ClientConfig {
  return {
    connectionString: withCheckedTls(url),
    application_name: 'petstore',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    types: { getTypeParser },
  }
}

/** Opens one connection, whose end is told by its queries alone. */
export async function connect(url: string, statementMs: number): Promise<Client> {
  const client = new Client(connectionConfig(url, statementMs))
  client.on('error', () => {})
  await client.connect()
  return client
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
