import type { Cleanup } from '../cleanup.ts'
import { eventually } from '../eventually.ts'
import { startFloatingAddress } from './floating-address.ts'
import { type PostgresServer, query, startPostgres } from './postgres.ts'

/** A primary whose commits wait for its standby. */
export interface PostgresPair {
  primary: PostgresServer
  standby: PostgresServer
  /** Of an address that leads to the primary. */
  url: string
  /** Makes the standby the primary, as a tool does, and leads new connections to it. */
  failOver(): Promise<void>
}

/** Both end with the test. */
export async function startPostgresPair(t: Cleanup): Promise<PostgresPair> {
  const primary = await startPostgres()
  t.after(() => primary.close())
  const standby = await startStandby(t, primary)
  const address = await startFloatingAddress(t, primary.port)
  return {
    primary,
    standby,
    url: `postgres://postgres@127.0.0.1:${address.port}/postgres`,
    async failOver() {
      await query(standby.url, 'SELECT pg_promote()')
      address.leadTo(standby.port)
    },
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
