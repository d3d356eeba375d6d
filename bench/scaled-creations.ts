import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { PostgresStore } from '../src/postgres/store.ts'
import { startPostgres } from '../test/support/servers/postgres.ts'
import { startRedis } from '../test/support/servers/redis.ts'
import { inject } from '../test/support/servers/system-calls.ts'
import { isInstalled } from './cores.ts'
import { formatNumber, markdownTable } from './figure.ts'
import { load } from './load.ts'
import { cpuSeconds, familyCpuSeconds } from './process-figures.ts'
import { type Program, startPetstore } from './program.ts'
import { NEW_ANIMAL } from './record.ts'
import { fillStore } from './scaled-stock.ts'
import { emptyFolder } from './stock.ts'

/**
 * Measures the cost of serializing creations across all instances (decisions 0013 and 0068): `node bench/scaled-creations.ts`, about two
 * minutes. The same load without taking turns shows the difference; ids are then random, which breaks promises of the service. With strace,
 * half of the rows are for a slow disk.
 */

const SECONDS = 3
const DURABLE = ['fsync=on', 'shared_buffers=512MB', 'max_wal_size=4GB']
const SLOW_DISK_MS = 10
/** Gives each call ids from a random range instead of the sequence, so nothing waits. */
const NO_TURN = `CREATE OR REPLACE FUNCTION lock_pet_ids() RETURNS BIGINT LANGUAGE sql VOLATILE SET search_path FROM CURRENT AS
  $$ SELECT 1000000000000 + (random() * 1e15)::bigint * 1000 $$`

using folder = emptyFolder()
await using servers = new AsyncDisposableStack()
const postgres = servers.adopt(await startPostgres(DURABLE), one => one.close())
const redis = servers.adopt(await startRedis(), one => one.close())
const client = servers.adopt(new Client({ connectionString: postgres.url }), one => one.end())
const rows: string[][] = []
// A failed query reports the error itself.
client.on('error', () => {})
await client.connect()
await (await PostgresStore.open(postgres.url, 'production')).close()
const { key } = await fillStore(client)
const { rows: found } = await client.query(`SELECT pg_get_functiondef('lock_pet_ids'::regproc) AS turn`)
const turn = found[0].turn as string
for (const disk of isInstalled('strace') ? ['this disk', 'a slow disk'] : ['this disk']) {
  for (const instances of [1, 3]) {
    for (const [what, definition] of [
      ['in turn', turn],
      ['without a turn', NO_TURN],
    ] as const) {
      await client.query(definition)
      for (const connections of [64, 256]) await measure({ disk, instances, what, connections, key })
    }
  }
}
await client.query(turn)
console.log(
  markdownTable(
    [
      'creations',
      'disk',
      'instances',
      'connections',
      'calls/s',
      'p50, ms',
      'p99, ms',
      'waiting for the turn',
      'cores: instances',
      'PostgreSQL',
      'Redis',
    ],
    rows,
    [2, 3, 4, 5, 6, 7, 8, 9, 10],
  ),
)

interface Setup {
  disk: string
  instances: number
  what: string
  /** Of each instance. */
  connections: number
  key: string
}

async function measure({ disk, instances, what, connections, key }: Setup): Promise<void> {
  const settings = { PETSTORE_DATABASE_URL: postgres.url, PETSTORE_REDIS_URL: redis.url, PETSTORE_OVERLOAD_WAIT: '0' }
  await using started = new AsyncDisposableStack()
  const services: Program[] = []
  for (let one = 0; one < instances; one++) {
    services.push(started.use(await startPetstore({ folder: folder.path, key, mayUseAllCores: true }, settings)))
  }
  if (disk === 'a slow disk') started.defer(await slowDown(postgres.pid))
  const loadAll = (seconds: number) =>
    Promise.all(
      services.map(({ url }) =>
        load({ url, key, paths: ['/v1/pets'], body: NEW_ANIMAL, connections, seconds, mayUseAllCores: true }),
      ),
    )
  await loadAll(1)
  const before = used(services)
  const waiting = sampleWaits()
  const loads = await loadAll(SECONDS).finally(() => waiting.end())
  const waits = await waiting.end()
  const after = used(services)
  const cores = after.map((seconds, part) => (seconds - (before[part] as number)) / SECONDS)
  const rate = loads.reduce((sum, { calls, seconds }) => sum + calls / seconds, 0)
  const p50 = Math.max(...loads.map(({ p50Ms }) => p50Ms))
  const p99 = Math.max(...loads.map(({ p99Ms }) => p99Ms))
  rows.push([
    what,
    disk,
    String(instances),
    String(connections),
    ...[rate, p50, p99, waits, ...cores].map(formatNumber),
  ])
  console.error(rows.at(-1)?.join('  '))
}

function used(services: readonly Program[]): number[] {
  return [
    services.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0),
    familyCpuSeconds(postgres.pid),
    cpuSeconds(redis.pid),
  ]
}

/** Samples how many batches wait for their turn, on average. */
function sampleWaits(): { end(): Promise<number> } {
  let isOver = false
  const samples: number[] = []
  const sampling = (async () => {
    while (!isOver) {
      const { rows } = await client.query(
        `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = 'advisory'`,
      )
      samples.push(rows[0].waiting)
      await sleep(20)
    }
  })()
  return {
    async end() {
      isOver = true
      await sampling
      return samples.reduce((sum, one) => sum + one, 0) / samples.length
    },
  }
}

/** Makes each commit to the disk take longer, in all current and future processes of the server. Returns a function that undoes it. */
async function slowDown(pid: number): Promise<() => Promise<void>> {
  const { rows } = await client.query('SELECT pid FROM pg_stat_activity')
  return inject([pid, ...rows.map(row => row.pid)], 'fsync,fdatasync', `delay_exit=${SLOW_DISK_MS * 1_000}`)
}
