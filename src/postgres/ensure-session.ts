import { UserError } from '../domain/errors.ts'
import { Connection, SERVING_CONNECT_MS } from './connection.ts'

const POOLED =
  'PETSTORE_DATABASE_URL points to a pooler in transaction mode, so instances cannot be notified of changes by other instances. Use session mode, or connect to the database directly.'

/**
 * Makes sure that a connection keeps its server session. A pooler in transaction mode may assign the same session again as long as it has no
 * other clients. So a second connection begins a transaction in between: if the first connection has its own session, the second gets a
 * different one, and the first keeps its session.
 * @throws UserError
 */
export async function ensureSession(client: Connection, url: string): Promise<void> {
  const timeouts = { connectMs: SERVING_CONNECT_MS, answerMs: SERVING_CONNECT_MS, statementMs: SERVING_CONNECT_MS }
  const before = await processOf(client)
  await using other = await new Connection(url, timeouts).open()
  await other.query('BEGIN')
  if ((await processOf(other)) === before) throw new UserError('conflict', POOLED)
  ensureSameProcess(before, await processOf(client))
}

/** @throws UserError when a connection has been assigned a different server process */
export function ensureSameProcess(before: number, now: number): void {
  if (now !== before) throw new UserError('conflict', POOLED)
}

/** The server process of a connection. */
export async function processOf(client: Connection): Promise<number> {
  return (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid
}
