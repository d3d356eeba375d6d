import { availableParallelism, cpus, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { Client } from 'pg'
import { setPlan } from '../src/domain/administration/accounts.ts'
import { COMMAND_LINE } from '../src/domain/audit.ts'
import { PostgresStore } from '../src/postgres/store.ts'
import { startPostgres } from '../test/support/servers/postgres.ts'
import { findFreePort } from '../test/support/servers/private-server.ts'
import { startRedis } from '../test/support/servers/redis.ts'
import { type Figure, figure, formatNumber, formatTable, markdownTable } from './figure.ts'
import { load } from './load.ts'
import { eachKeyOnce } from './load-by-keys.ts'
import { cpuSeconds, familyCpuSeconds, statusKilobytes } from './process-figures.ts'
import { startPetstore } from './program.ts'
import { NEW_ANIMAL } from './record.ts'
import { ANIMALS, fillStore } from './scaled-stock.ts'
import { emptyFolder } from './stock.ts'

/**
 * Measures the cost of a call in the instance, in Redis and in PostgreSQL: `node bench/scaled-costs.ts`, about three minutes.
 * Both servers are private; PostgreSQL commits to the disk. README.md explains the method.
 */

const ROUNDS = 5
const SECONDS = 2
const IDLE_SECONDS = 4
const CONNECTIONS = 64
/** For calls that each use a different key. */
const KEY_CONNECTIONS = 32
/** Numbers of instances that an operator's change must reach. */
const INSTANCE_COUNTS = [1, 10, 50]
const CHANGES = 20
const SAVED_AT_ONCE = 1_000
const SAVES = 20
const DURABLE = ['fsync=on', 'shared_buffers=512MB', 'max_wal_size=4GB']

const ANY = { status: undefined, categoryId: undefined, id: undefined }
const NAMES = { instance: 'itself', redis: 'Redis', postgres: 'PostgreSQL' }

/** The CPU time of one call, in microseconds. */
interface Cost {
  name: string
  instance: number
  redis: number
  postgres: number
  /** On this machine, which runs the instance, Redis, PostgreSQL and the load. */
  callsPerSecond: number
}

const costs: Cost[] = []
const figures: Figure[] = []
const postgres = await startPostgres(DURABLE)
const redis = await startRedis()
using folder = emptyFolder()
try {
  console.log(describe())
  const client = new Client({ connectionString: postgres.url })
  // A failed query reports the error itself. Ignore the lost connection that follows.
  client.on('error', () => {})
  await client.connect()
  await (await PostgresStore.open(postgres.url, 'production')).close()
  const stock = await fillStore(client)
  await measureService(client, stock)
  await measureStore()
  for (const [table, bytes] of Object.entries(stock.bytesPerRow)) {
    figures.push(figure(`PostgreSQL, a row of ${table} with its indexes`, 'bytes', [bytes]))
  }
  await client.end()
  console.log(`\n${formatCosts(costs)}\n\n${formatTable(figures)}`)
} finally {
  await redis.close()
  await postgres.close()
}

async function measureService(client: Client, stock: Awaited<ReturnType<typeof fillStore>>): Promise<void> {
  const { key, moreKeys, otherKeys, strictKeys } = stock
  const operatorPort = await findFreePort()
  const settings = {
    PETSTORE_DATABASE_URL: postgres.url,
    PETSTORE_REDIS_URL: redis.url,
    PETSTORE_OPERATOR_PORT: String(operatorPort),
    // The first ignored refusal causes a ban.
    PETSTORE_BAN_AFTER: '1',
  }
  await using service = await startPetstore({ folder: folder.path, key }, settings)
  const memory = (when: string) =>
    figures.push(figure(`memory of an instance, ${when}`, 'MiB', [statusKilobytes(service.pid, 'VmRSS') / 1_024]))
  const counters = () => ({
    instance: service.cpuSeconds(),
    redis: cpuSeconds(redis.pid),
    postgres: familyCpuSeconds(postgres.pid),
  })

  /** @param calls makes calls, and returns their number and duration */
  async function measure(name: string, rounds: number, calls: () => Promise<{ calls: number; seconds: number }>) {
    console.error(name)
    const samples: Omit<Cost, 'name'>[] = []
    for (let round = 0; round < rounds; round++) {
      const before = counters()
      const { calls: count, seconds } = await calls()
      const after = counters()
      const micros = (part: keyof typeof before) => ((after[part] - before[part]) / count) * 1e6
      const [instance, redis, postgres] = [micros('instance'), micros('redis'), micros('postgres')]
      samples.push({ instance, redis, postgres, callsPerSecond: count / seconds })
    }
    // Other work on the machine only adds to the cost.
    const leastDisturbed = samples.toSorted((one, other) => other.callsPerSecond - one.callsPerSecond)[0]
    costs.push({ name, ...(leastDisturbed as (typeof samples)[0]) })
  }
  const loaded = async (name: string, paths: readonly string[], body?: string, connections = CONNECTIONS) => {
    const order = { url: service.url, key, paths, body, connections, seconds: SECONDS }
    await load({ ...order, seconds: 1 })
    await measure(name, ROUNDS, () => load(order))
  }
  const callOnceEach = (keys: readonly string[], status: number) =>
    eachKeyOnce({ url: service.url, keys, connections: KEY_CONNECTIONS, status })
  const ids = Array.from({ length: 1_000 }, (_, index) => `/v1/pets/${index + 1}`)
  const anyIds = Array.from({ length: 40_000 }, () => `/v1/pets/${1 + Math.floor(Math.random() * ANIMALS)}`)

  memory('just started')
  const before = counters()
  await sleep(IDLE_SECONDS * 1_000)
  const after = counters()
  for (const part of ['instance', 'redis', 'postgres'] as const) {
    figures.push(
      figure(`an idle instance, in ${NAMES[part]}`, 'CPU ms/s', [((after[part] - before[part]) / IDLE_SECONDS) * 1e3]),
    )
  }
  await loaded('list, a cached page', ['/v1/pets'])
  await loaded('list, an open page', ['/v1/pets?status=pending'])
  await loaded('get, cached', ids)
  await loaded('get, one of 1,000,000', anyIds)
  await loaded('create, one at a time', ['/v1/pets'], NEW_ANIMAL, 1)
  await loaded('create, 64 at once', ['/v1/pets'], NEW_ANIMAL)
  await measure("a key's first call", 1, () => callOnceEach(moreKeys, 200))
  await measure("an account's first call", 1, () => callOnceEach(otherKeys, 200))
  await measure("an account's second call, saving its counts and usage", 1, () => callOnceEach(otherKeys, 200))
  await callOnceEach(strictKeys, 200)
  await callOnceEach(strictKeys, 429)
  // A call counts as ignoring a refusal only if it comes at least a second later.
  await sleep(1_500)
  await measure('a call that causes a ban', 1, () => callOnceEach(strictKeys, 429))
  memory('after all of this')
  const scrape = await (await fetch(`http://127.0.0.1:${operatorPort}/metrics`)).text()
  const alone = Number(/^petstore_limiter_alone_decisions_total (\d+)/m.exec(scrape)?.[1])
  figures.push(figure('calls decided without Redis, which was too slow', 'calls', [alone], { atMost: 0 }))

  const { rows } = await client.query(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'petstore'`,
  )
  figures.push(figure('connections of an instance to PostgreSQL', 'connections', [rows[0].count]))
  const asking = new Redis(redis.url)
  const clients = Number(/connected_clients:(\d+)/.exec(await asking.info('clients'))?.[1])
  figures.push(figure('connections of an instance to Redis', 'connections', [clients - 1]))
  const bytes: number[] = []
  for (const name of (await asking.keys('petstore:*')).slice(0, 500))
    bytes.push(Number(await asking.memory('USAGE', name)))
  figures.push(figure('Redis, an account that calls', 'bytes', bytes))
  asking.disconnect()
}

/** Measures work that is not part of a call. */
async function measureStore(): Promise<void> {
  const store = await PostgresStore.open(postgres.url, 'production')
  const accounts = Array.from({ length: SAVED_AT_ONCE }, (_, index) => BigInt(index + 1))
  const resetsAt = Date.now() + 60_000
  const micros = async (name: string, save: (round: number) => Promise<void>) => {
    const before = familyCpuSeconds(postgres.pid)
    for (let round = 1; round <= SAVES; round++) await save(round)
    const seconds = familyCpuSeconds(postgres.pid) - before
    figures.push(figure(name, 'CPU µs/row', [(seconds / SAVES / SAVED_AT_ONCE) * 1e6]))
  }
  await micros(`PostgreSQL, counts saved`, round =>
    store.saveCounts(
      accounts.map(accountId => ({
        accountId,
        counts: { minute: { used: round, resetsAt }, day: { used: round, resetsAt } },
      })),
    ),
  )
  const one = { hour: 480_024, operation: 'listPets', admitted: 1, refused: 0, banned: 0 }
  const statuses = { status2xx: 1, status3xx: 0, status4xx: 0, status5xx: 0 }
  await micros(`PostgreSQL, usage saved`, round =>
    store.addUsage(accounts.map(accountId => ({ ...one, ...statuses, accountId, keyId: accountId, lastAt: round }))),
  )
  const startedAt = performance.now()
  await store.searchPets({ ...ANY, name: 'no such name', afterId: 0n, limit: 20 })
  figures.push(figure("an operators' search that reads all animals", 'ms', [performance.now() - startedAt]))
  await store.close()
  for (const instances of INSTANCE_COUNTS) await measureChange(instances)
}

/** Measures how long an operator's change takes to reach all instances. */
async function measureChange(instances: number): Promise<void> {
  const watch = { committed() {}, changeFeedLost() {}, changeFeedRestored() {} }
  const open = () => PostgresStore.open(postgres.url, 'production', { instances: 'many', watch })
  const stores = await Promise.all(Array.from({ length: instances }, open))
  const [store] = stores as [PostgresStore]
  const context = { store, deployment: 'production', actor: { name: 'bench', origin: COMMAND_LINE }, now: 0 } as const
  const before = familyCpuSeconds(postgres.pid)
  const times: number[] = []
  for (let change = 1; change <= CHANGES; change++) {
    const startedAt = performance.now()
    await setPlan(context, { account: '1', plan: 'enterprise', limits: { perMinute: change, perDay: change } })
    times.push(performance.now() - startedAt)
  }
  const seconds = familyCpuSeconds(postgres.pid) - before
  await Promise.all(stores.map(store => store.close()))
  figures.push(
    figure(`an operator's change at ${instances} instances`, 'ms', times),
    figure(`an operator's change at ${instances} instances: PostgreSQL`, 'CPU ms', [(seconds / CHANGES) * 1e3]),
  )
}

function formatCosts(costs: readonly Cost[]): string {
  const head = ['CPU µs of one call', 'instance', 'Redis', 'PostgreSQL', 'calls/s here']
  const rows = costs.map(({ name, instance, redis, postgres, callsPerSecond }) => [
    name,
    ...[instance, redis, postgres, callsPerSecond].map(formatNumber),
  ])
  return markdownTable(head, rows, [1, 2, 3, 4])
}

function describe(): string {
  return [
    `- ${new Date().toISOString().slice(0, 10)}, Node ${process.version}`,
    `- ${availableParallelism()} cores: ${cpus()[0]?.model ?? 'unknown'}, for the instance, Redis, PostgreSQL and the load together`,
    `- load average at the start of the run: ${loadavg()[0]?.toFixed(1)}`,
    `- ${ANIMALS.toLocaleString('en')} animals; PostgreSQL with ${DURABLE.join(', ')}`,
    `- ${ROUNDS} rounds of ${SECONDS} s each; the fastest counts`,
  ].join('\n')
}
