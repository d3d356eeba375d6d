import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { createAccount } from '../src/domain/administration/accounts.ts'
import { issueKey, revokeKey } from '../src/domain/administration/keys.ts'
import { COMMAND_LINE } from '../src/domain/audit.ts'
import { Lease } from '../src/postgres/lease.ts'
import { PostgresStore } from '../src/postgres/store.ts'
import { type PostgresServer, startPostgres } from '../test/support/servers/postgres.ts'
import { formatRuns, summarize } from './figure.ts'
import { cpuSeconds } from './process-figures.ts'

/**
 * Measures what the leases of many instances cost a private PostgreSQL server, and how long a revocation takes among them:
 * `node bench/leases.ts [--instances 3,20,1000] [--seconds 20]`. The leases are real ones, all in this process, where they get news of each change;
 * nothing else of an instance runs.
 */
const { values } = parseArgs({
  options: {
    instances: { type: 'string', default: '3,20,1000' },
    seconds: { type: 'string', default: '20' },
  },
})

type Figures = Record<string, number>

const REVOCATIONS = 20
/** Leases that are opened at the same time. */
const OPENED_AT_ONCE = 20

const counts = values.instances.split(',').map(Number)
const columns: Figures[] = []
for (const count of counts) columns.push(await measure(count, Number(values.seconds) * 1_000))
console.log(formatRuns(['', ...counts.map(count => `${count.toLocaleString('en')} instances`)], columns))

async function measure(count: number, milliseconds: number): Promise<Figures> {
  const server = await startPostgres([`max_connections=${count + 50}`])
  try {
    const leases: Lease[] = []
    let lost = 0
    const watch = { committed() {}, leaseLost: () => (lost += 1), leaseRestored() {} }
    // As through Redis, but at once.
    const changed = () => {
      for (const lease of leases) lease.renew()
    }
    const store = await PostgresStore.open(server.url, 'production', {
      instances: 'many',
      watch: { ...watch, changed },
    })
    const open = () => Lease.open(server.url, { instances: 'many', watch, settled: async () => {}, leave() {} })
    while (leases.length < count - 1) {
      const group = Array.from({ length: Math.min(OPENED_AT_ONCE, count - 1 - leases.length) }, open)
      leases.push(...(await Promise.all(group)))
    }
    const client = new Client({ connectionString: server.url })
    await client.connect()
    const figures: Figures = await costOfRenewals(client, server, milliseconds)
    const { median, max } = summarize(await timeRevocations(store))
    figures['a revocation, ms'] = median
    figures['the longest of 20, ms'] = max
    figures['leases that were lost'] = lost
    await client.end()
    await Promise.all(leases.map(lease => lease.close()))
    await store.close()
    return figures
  } finally {
    await server.close()
  }
}

async function costOfRenewals(client: Client, server: PostgresServer, milliseconds: number): Promise<Figures> {
  const before = await readCounters(client, server)
  const startedAt = performance.now()
  await new Promise(resolve => setTimeout(resolve, milliseconds))
  const after = await readCounters(client, server)
  const seconds = (performance.now() - startedAt) / 1_000
  const perSecond = (name: keyof Counters) => (after[name] - before[name]) / seconds
  return {
    'renewals/s': perSecond('renewals'),
    'CPU of PostgreSQL, s/s': perSecond('serverCpu'),
    'CPU of all instances, s/s': perSecond('ownCpu'),
    'WAL, KB/s': perSecond('walBytes') / 1_000,
    'updates within the page (HOT), %': (100 * perSecond('hotUpdates')) / perSecond('updates'),
    'transaction ids a day, millions': (perSecond('transactions') * 86_400) / 1e6,
    'size of the table, KB': after.tableBytes / 1_000,
  }
}

type Counters = Awaited<ReturnType<typeof readCounters>>

async function readCounters(client: Client, { pid }: PostgresServer) {
  const { rows } =
    await client.query(`SELECT pg_current_wal_lsn() - '0/0' AS wal, pg_total_relation_size('instance') AS size,
    (SELECT sum(renewals) FROM instance) AS renewals, n_tup_upd AS updates, n_tup_hot_upd AS hot,
    pg_snapshot_xmax(pg_current_snapshot()) AS next FROM pg_stat_user_tables WHERE relname = 'instance'`)
  const [row] = rows
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return {
    walBytes: Number(row.wal),
    tableBytes: Number(row.size),
    renewals: Number(row.renewals),
    updates: Number(row.updates),
    hotUpdates: Number(row.hot),
    transactions: Number(row.next),
    serverCpu: children.map(cpuSeconds).reduce((sum, one) => sum + one, 0),
    ownCpu: cpuSeconds(process.pid),
  }
}

/** In milliseconds. */
async function timeRevocations(store: PostgresStore): Promise<number[]> {
  const context = {
    store,
    deployment: 'production',
    actor: { name: 'bench', origin: COMMAND_LINE },
    now: Date.now(),
  } as const
  const account = await createAccount(context, { name: 'bench', plan: 'free', limits: {} })
  const times: number[] = []
  while (times.length < REVOCATIONS) {
    const { id } = await issueKey(context, { account: String(account.id) })
    const startedAt = performance.now()
    await revokeKey(context, String(id))
    times.push(performance.now() - startedAt)
  }
  return times
}
