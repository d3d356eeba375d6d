import { COMMAND_CONNECT_MS, Connection } from './connection.ts'

/**
 * A server that hears nothing of a machine asks it after 10 seconds, and gives it up after 15 more: what a machine that is gone has
 * locked is free then, not after hours.
 */
const KEEP_ALIVE = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 }

/**
 * Opens a connection for work that takes as long as it takes, such as to read or to write all animals.
 * @param signal breaks off what is under way
 */
export function connectForLong(url: string, signal?: AbortSignal): Promise<Connection> {
  const connection = new Connection(url, {
    connectMs: COMMAND_CONNECT_MS,
    statementMs: 0,
    settings: { idle_in_transaction_session_timeout: 0, ...KEEP_ALIVE },
  })
  const breakOff = () => connection.cut()
  signal?.addEventListener('abort', breakOff)
  connection.on('end', () => signal?.removeEventListener('abort', breakOff))
  return connection.open()
}
