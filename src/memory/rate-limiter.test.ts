import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { temporaryFolder } from '../../test/support/folder.ts'
import { assertForgotten, heapUsed } from '../../test/support/heap.ts'
import { SOURCE } from '../../test/support/source.ts'
import type { Caller } from '../domain/account.ts'
import type { BanPolicy } from '../domain/ban.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import { rateLimiterContract } from '../domain/rate-limiter.contract.ts'
import { DAY_MS, MINUTE_MS } from '../domain/time.ts'
import { databaseFile } from '../sqlite/data-folder/store-files.ts'
import { SqliteStore } from '../sqlite/store.ts'
import { MemoryRateLimiter } from './rate-limiter.ts'

const NOON = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const POLICY: BanPolicy = { after: 10, withinSeconds: 600, forSeconds: 900, maxSeconds: 86_400 }

const FOLDER_PREFIX = join(tmpdir(), 'petstore-limiter-')
const contractFolder = await mkdtemp(FOLDER_PREFIX)
const contractStore = await SqliteStore.open(contractFolder, 'production', { inThreads: false })
after(async () => {
  await contractStore.close()
  await rm(contractFolder, { recursive: true })
})

rateLimiterContract('memory', async (policy, now) => {
  const store = contractStore
  return {
    limiter: await MemoryRateLimiter.open(store, policy, now),
    store,
    reopen: later => MemoryRateLimiter.open(store, policy, later),
    forgetsStrikes: true,
    refuseBans() {
      execute(contractFolder, "CREATE TRIGGER full BEFORE INSERT ON ban BEGIN SELECT RAISE(ABORT, 'disk full'); END")
      return () => execute(contractFolder, 'DROP TRIGGER IF EXISTS full')
    },
    close: async () => {},
  }
})

test('memory: saved counts survive closing and opening the store', async t => {
  const folder = await temporaryFolder(t)
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  const [caller] = createCallers(folder, 1, { perMinute: 5, perDay: 100 })
  const limiter = await MemoryRateLimiter.open(store, POLICY, NOON)
  await limiter.consume(caller, SOURCE, NOON)
  await limiter.consume(caller, SOURCE, NOON + 1)
  await limiter.save(NOON + 2)
  await limiter.consume(caller, SOURCE, NOON + 3)
  await store.close()
  const reopened = await SqliteStore.open(folder, 'production', { inThreads: false })
  t.after(() => reopened.close())
  const { windows } = await (await MemoryRateLimiter.open(reopened, POLICY, NOON + 4)).consume(caller, SOURCE, NOON + 4)
  assert.deepEqual(
    windows.map(({ remaining }) => remaining),
    [2, 97],
    'the two calls saved and this one',
  )
})

test('memory: counts that could not be saved are saved the next time', async t => {
  const folder = await temporaryFolder(t)
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  t.after(() => store.close())
  const [caller] = createCallers(folder, 1, { perMinute: 5, perDay: 100 })
  const limiter = await MemoryRateLimiter.open(store, POLICY, NOON)
  await limiter.consume(caller, SOURCE, NOON)
  execute(folder, "CREATE TRIGGER full BEFORE INSERT ON account_count BEGIN SELECT RAISE(ABORT, 'disk full'); END")
  await assert.rejects(limiter.save(NOON), StoreUnavailable)
  assert.deepEqual(await store.listCounts(NOON), [])
  execute(folder, 'DROP TRIGGER full')
  await limiter.save(NOON)
  assert.equal((await store.listCounts(NOON))[0]?.counts.day?.used, 1)
})

test('memory: each failed attempt to store a ban is reported', async t => {
  const folder = await temporaryFolder(t)
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  t.after(() => store.close())
  execute(folder, "CREATE TRIGGER full BEFORE INSERT ON ban BEGIN SELECT RAISE(ABORT, 'disk full'); END")
  const [caller] = createCallers(folder, 1, { perMinute: 1, perDay: 100 })
  const failures: unknown[] = []
  const limiter = await MemoryRateLimiter.open(store, { ...POLICY, after: 1 }, NOON, error => failures.push(error))
  for (const later of [0, 0, 10_000, 10_001]) await limiter.consume(caller, SOURCE, NOON + later)
  assert.equal(failures.length, 2)
  for (const failure of failures) assert.ok(failure instanceof StoreUnavailable)
})

test('memory: a key that ignores refusals while no ban can be stored does not fill the memory', async t => {
  const folder = await temporaryFolder(t)
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  const [caller] = createCallers(folder, 1, { perMinute: 1, perDay: 100 })
  const limiter = await MemoryRateLimiter.open(store, { ...POLICY, after: 1 }, NOON)
  await limiter.consume(caller, SOURCE, NOON)
  await store.close()
  const call = async (times: number, now: number) => {
    for (let time = 0; time < times; time += 1) {
      for (let keyId = 1n; keyId <= 100n; keyId += 1n) await limiter.consume({ ...caller, keyId }, SOURCE, now)
    }
  }
  await call(1, NOON)
  await call(100, NOON + 10_000)
  // The engine itself sometimes allocates memory; a leak would show in every round.
  const grown: number[] = []
  for (const round of [1, 2, 3]) {
    const before = await heapUsed()
    await call(250, NOON + 10_000 + round)
    grown.push((await heapUsed()) - before)
    if (Math.min(...grown) < 100_000) return
  }
  assert.fail(`it grew by ${grown} bytes; the times of all these calls are 200,000`)
})

test('memory: accounts are forgotten a day after their windows are over', async t => {
  const folder = await temporaryFolder(t)
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  t.after(() => store.close())
  const limiter = await MemoryRateLimiter.open(store, POLICY, NOON)
  const callers = createCallers(folder, 20_000, { perMinute: 5, perDay: 100 })
  const before = await heapUsed()
  for (const caller of callers) await limiter.consume(caller, SOURCE, NOON)
  await limiter.save(NOON)
  const full = await heapUsed()
  await limiter.save(NOON + 2 * DAY_MS)
  assertForgotten(before, full, await heapUsed())
  assert.equal(callers.length, 20_000, 'they were in memory all the time')
})

test('memory: keys that were refused are forgotten when their windows and their strikes are over', async t => {
  const folder = await temporaryFolder(t)
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  t.after(() => store.close())
  const [caller] = createCallers(folder, 1, { perMinute: 1, perDay: 100 })
  const limiter = await MemoryRateLimiter.open(store, POLICY, NOON)
  await limiter.consume(caller, SOURCE, NOON)
  const before = await heapUsed()
  for (const now of [NOON, NOON + 1_000]) {
    for (let keyId = 1n; keyId <= 20_000n; keyId += 1n) await limiter.consume({ ...caller, keyId }, SOURCE, now)
  }
  const full = await heapUsed()
  await limiter.save(NOON + MINUTE_MS + POLICY.withinSeconds * 1_000)
  assertForgotten(before, full, await heapUsed())
})

/** Callers of accounts in the store, without keys there. */
function createCallers(folder: string, count: number, limits: Caller['limits']): [Caller, ...Caller[]] {
  execute(
    folder,
    `WITH RECURSIVE number (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM number WHERE value < ${count})
     INSERT INTO account (id, name, plan, per_minute, per_day, created_at)
     SELECT value, 'account ' || value, 'enterprise', ${limits.perMinute}, ${limits.perDay}, ${NOON} FROM number;
     INSERT INTO api_key (id, account_id, hash, hint, created_at) VALUES (1, 1, 'a hash', 'hint', ${NOON})`,
  )
  const callers = Array.from({ length: count }, (_, index): Caller => {
    const id = BigInt(index + 1)
    const never = { suspendedAt: undefined, expiresAt: undefined, revokedAt: undefined, bans: [] }
    const access = { scope: 'read-write', networks: undefined } as const
    return { keyId: id, accountId: id, plan: 'enterprise', limits, ...access, ...never }
  })
  return callers as [Caller, ...Caller[]]
}

function execute(folder: string, sql: string): void {
  const database = new DatabaseSync(databaseFile(folder), { timeout: 5_000 })
  database.exec(sql)
  database.close()
}
