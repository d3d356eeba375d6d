import type { Cleanup } from '../cleanup.ts'
import { eventually } from '../eventually.ts'
import { type PostgresServer, query, startPostgres } from './postgres.ts'

/** A primary whose commits wait for its standby. */
export interface PostgresPair {
  primary: PostgresServer
  standby: PostgresServer
  /** Both servers, the primary first. */
  url: string
  /** Makes a standby the primary, as an operator or a failover tool does. */
  promote(standby: PostgresServer): Promise<void>
}

/** Both end with the test. */
export async function startPostgresPair(t: Cleanup): Promise<PostgresPair> {
  const primary = await startPostgres()
  t.after(() => primary.close())
  const standby = await startStandby(t, primary)
  return {
    primary,
    standby,
    url: urlOf([primary, standby]),
    promote: async ({ url }) => void (await query(url, 'SELECT pg_promote()')),
  }
}

/** Starts a standby of a primary, whose commits wait for it from then on. */
async function startStandby(t: Cleanup, primary: PostgresServer): Promise<PostgresServer> {
  const standby = await startPostgres(['wal_receiver_status_interval=1s'], primary)
  t.after(() => standby.close())
  await query(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'")
  await query(primary.url, 'SELECT pg_reload_conf()')
  await eventually(async () => {
    const [row] = await query(primary.url, "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'")
    if (!row) throw new Error('The standby does not follow yet.')
  })
  return standby
}

/** Starts a former primary as if nothing had happened: it accepts writes, and waits for no standby. */
export async function comeBack(primary: PostgresServer): Promise<void> {
  await primary.start()
  await query(primary.url, 'ALTER SYSTEM RESET synchronous_standby_names')
  await query(primary.url, 'SELECT pg_reload_conf()')
}

/** A URL that lists these servers. */
export function urlOf(servers: readonly PostgresServer[]): string {
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`
}
