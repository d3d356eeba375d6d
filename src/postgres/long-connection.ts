import { Socket } from 'node:net'
import { Client } from 'pg'
import { connectionConfig } from './connection.ts'

/** A machine that is gone is noticed even while nothing is sent to it. */
const KEEP_ALIVE_AFTER_MS = 10_000

/**
 * Opens a connection for work that takes as long as it takes, such as to read or to write all animals. Its end is told by its
 * queries alone.
 * @param signal breaks off what is under way
 */
export async function connectForLong(url: string, signal?: AbortSignal): Promise<Client> {
  const socket = new Socket()
  const client = new Client({
    ...connectionConfig(url, 0),
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    stream: () => socket,
  })
  client.on('error', () => {})
  const breakOff = () => socket.destroy()
  signal?.addEventListener('abort', breakOff)
  client.on('end', () => signal?.removeEventListener('abort', breakOff))
  await client.connect()
  await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
  return client
}
