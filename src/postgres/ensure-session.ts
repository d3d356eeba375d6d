import { UserError } from '../domain/errors.ts'
import { Connection, SERVING_CONNECT_MS } from './connection.ts'

const POOLED =
  'PETSTORE_DATABASE_URL leads to a pooler that gives each transaction another connection: instances cannot learn about changes by others that way. Use its session mode, or connect to the database directly.'

/**
 * Makes sure that a connection keeps its session of the server. A pooler that gives each transaction another one may give the same one
 * again as long as it has no other clients. So a second connection begins a transaction meanwhile: if the first one has a session of its
 * own, the second one gets another, and the first one keeps it.
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

/** @throws UserError when a connection has got another process of the server */
export function ensureSameProcess(before: number, now: number): void {
  if (now !== before) throw new UserError('conflict', POOLED)
}

/** The process of the server that a connection has. */
export async function processOf(client: Connection): Promise<number> {
  return (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid
}
