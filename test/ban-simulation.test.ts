import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createAccount } from '../src/domain/administration/accounts.ts'
import { issueKey } from '../src/domain/administration/keys.ts'
import { type BanPolicy, banOfSource, isInForce } from '../src/domain/ban.ts'
import { type Limits, limitsOf } from '../src/domain/plan.ts'
import type { Decision } from '../src/domain/rate-limiter.ts'
import { hashSecret } from '../src/domain/secret.ts'
import { DAY_MS, secondsUntil } from '../src/domain/time.ts'
import { networkOf, parseAddress } from '../src/http/address.ts'
import { MemoryRateLimiter } from '../src/memory/rate-limiter.ts'
import { SqliteStore } from '../src/sqlite/store.ts'
import { adminContext } from './support/admin-context.ts'

// Who is banned, and who is not, by the default settings: fleets, visitors and loops that share one key, in simulated time.

const POLICY: BanPolicy = { after: undefined, withinSeconds: 600, forSeconds: 900, maxSeconds: 86_400 }
const START = Date.UTC(2027, 2, 1, 9)
const SECOND_MS = 1_000
const HERE = '203.0.113.7'
/** Seconds between the calls of a worker. */
const PAUSES = [0.3, 1, 5, 20]
/** More workers than the count meet their first 429 so soon after one another that they are not counted. */
const SHORT_PAUSES = [0.3, 1, 5]
const ENTERPRISE_2 = { perMinute: 2, perDay: 100_000 }
const ENTERPRISE_10_000 = { perMinute: 10_000, perDay: 100_000_000 }

const folder = await mkdtemp(join(tmpdir(), 'petstore-bans-'))
const store = await SqliteStore.open(folder, 'production', { inThreads: false })
after(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

for (const { workers, limits = limitsOf('free'), spreads, pauses = PAUSES } of [
  { workers: 20, spreads: [0, 5, 30, 50] },
  { workers: 50, spreads: [0, 5, 30, 50] },
  { workers: 60, spreads: [0, 5, 30, 50] },
  { workers: 61, spreads: [0, 5, 30, 50], pauses: SHORT_PAUSES },
  { workers: 100, spreads: [0, 5, 30], pauses: SHORT_PAUSES },
  { workers: 2, limits: { perMinute: 1, perDay: 1_000 }, spreads: [0, 5, 30, 50] },
  { workers: 3, limits: ENTERPRISE_2, spreads: [0, 5, 30, 50] },
  { workers: 70, limits: ENTERPRISE_2, spreads: [0, 5, 30] },
]) {
  test(`${workers} workers behind one address that wait for Retry-After are not banned on ${limits.perMinute} a minute`, async () => {
    for (const spread of spreads) {
      for (const pause of pauses) {
        const { bans } = await simulate(limits, fleet(workers, spread, pause), 180)
        assert.deepEqual(bans, [], `begun within ${spread} s, ${pause} s between calls`)
      }
    }
  })
}

for (const { workers, spread, pause } of [
  { workers: 70, spread: 50, pause: 20 },
  { workers: 120, spread: 50, pause: 20 },
  { workers: 200, spread: 30, pause: 20 },
]) {
  test(`${workers} slow workers that begin within ${spread} s cannot be told from a loop: they are banned`, async () => {
    assert.equal((await simulate(limitsOf('free'), fleet(workers, spread, pause), 180)).bans[0]?.source, HERE)
  })
}

test('500 visitors from 500 addresses, a fifth of whom reload, are not banned', async () => {
  const visitors = Array.from({ length: 500 }, (_, index) =>
    calls(`198.51.${index >> 8}.${index & 255}`, index % 5 === 0 ? [index / 50, index / 50 + 12] : [index / 50]),
  )
  assert.deepEqual((await simulate(limitsOf('free'), visitors, 60)).bans, [])
})

for (const { visitors, bannedAt } of [
  { visitors: 119, bannedAt: undefined },
  { visitors: 125, bannedAt: undefined },
  { visitors: 150, bannedAt: 58 },
]) {
  test(`${visitors} visitors within a minute behind one address are ${bannedAt ? 'banned' : 'not banned'}`, async () => {
    const times = Array.from({ length: visitors }, (_, index) => (index * 60) / visitors)
    const [ban] = (await simulate(limitsOf('free'), [calls(HERE, times)], 60)).bans
    assert.equal(ban && Math.round(ban.at), bannedAt)
  })
}

test('a browser that has queued 200 calls is not banned, though it is refused for seconds', async () => {
  const times = Array.from({ length: 200 }, (_, index) => Math.floor(index / 6) * 0.12)
  const { bans, outcomes } = await simulate(limitsOf('free'), [calls(HERE, times)], 60)
  assert.deepEqual([bans, outcomes], [[], { admitted: 60, refused: 140, banned: 0 }])
})

for (const { name, limits, perSecond, bannedAt } of [
  { name: 'free', limits: limitsOf('free'), perSecond: 5, bannedAt: 33.8 },
  { name: 'pro', limits: limitsOf('pro'), perSecond: 20, bannedAt: 40 },
  { name: 'business', limits: limitsOf('business'), perSecond: 50, bannedAt: 36 },
  { name: 'enterprise with 10,000', limits: ENTERPRISE_10_000, perSecond: 339, bannedAt: 40.4 },
  { name: 'enterprise with 10,000', limits: ENTERPRISE_10_000, perSecond: 200, bannedAt: undefined },
  // The slowest loops that are banned, and slightly slower ones.
  { name: 'free', limits: limitsOf('free'), perSecond: 2.5, bannedAt: 57.6 },
  { name: 'free', limits: limitsOf('free'), perSecond: 2.3, bannedAt: undefined },
  { name: 'pro', limits: limitsOf('pro'), perSecond: 12.1, bannedAt: 59.5 },
  { name: 'pro', limits: limitsOf('pro'), perSecond: 11.9, bannedAt: undefined },
  { name: 'business', limits: limitsOf('business'), perSecond: 26.1, bannedAt: 59.8 },
  { name: 'business', limits: limitsOf('business'), perSecond: 25.9, bannedAt: undefined },
  { name: 'enterprise with 2', limits: ENTERPRISE_2, perSecond: 1.3, bannedAt: 56.9 },
  { name: 'enterprise with 2', limits: ENTERPRISE_2, perSecond: 1.2, bannedAt: undefined },
]) {
  const what = bannedAt === undefined ? 'is not banned' : `is banned after ${bannedAt} s`
  test(`a loop of ${perSecond} calls a second on ${name} a minute ${what}`, async () => {
    const times = Array.from({ length: 60 * perSecond }, (_, index) => index / perSecond)
    const [ban] = (await simulate(limits, [calls(HERE, times)], 60)).bans
    assert.equal(ban && Math.round(ban.at * 10) / 10, bannedAt)
  })
}

test('an IPv6 loop that changes its address within a /64 is one source', async () => {
  const loop = Array.from({ length: 300 }, (_, index) => {
    const address = `2001:db8:1:2:${index.toString(16)}:${index}::1`
    return calls(networkOf(parseAddress(address)), [index / 5])
  })
  assert.deepEqual(
    (await simulate(limitsOf('free'), loop, 60)).bans.map(({ source }) => source),
    ['2001:db8:1:2::/64'],
  )
})

test('one holder of a shared key who hammers is banned, and the others get all calls of the next minutes', async () => {
  const times = Array.from({ length: 900 }, (_, index) => index / 5)
  const others = Array.from({ length: 5 }, (_, index) => waiting(`198.51.100.${index}`, index, 1))
  const { bans, admitted } = await simulate(limitsOf('free'), [calls(HERE, times), ...others], 180)
  assert.deepEqual(
    bans.map(({ source }) => source),
    [HERE],
  )
  const byOthers = [...admitted].filter(([source]) => source !== HERE).reduce((sum, [, count]) => sum + count, 0)
  assert.ok(byOthers >= 2 * 60, `${byOthers} calls of the others were admitted`)
})

test('who comes every 10 s through an exhausted day is admitted with the first call of the next, and not banned for longer then', async () => {
  const limits = { perMinute: 60, perDay: 100 }
  const times = Array.from({ length: (2 * DAY_MS) / (10 * SECOND_MS) }, (_, index) => index * 10)
  const { bans, log } = await simulate(limits, [calls(HERE, times)], (2 * DAY_MS) / SECOND_MS)
  const midnight = (DAY_MS - (START % DAY_MS)) / SECOND_MS
  const [first, ...later] = [bans.filter(({ at }) => at < midnight), bans.filter(({ at }) => at >= midnight)]
  assert.ok((first?.length ?? 0) > 20 && (later[0]?.length ?? 0) > 20, 'it is banned again and again')
  assert.ok(bans.every(({ seconds }) => seconds <= 900))
  assert.equal(log.find(({ at }) => at >= midnight)?.outcome, 'admitted')
  assert.equal(log.find(({ at }) => at >= midnight)?.at, midnight)
})

/** Calls with one key. Times are seconds since the start. */
interface Actor {
  source: string
  nextAt: number | undefined
  /** When the next call is made, after a call at `at`. */
  after(decision: Decision, at: number): number | undefined
}

/** Calls at these times, whatever the responses are. */
function calls(source: string, times: readonly number[]): Actor {
  let next = 0
  return {
    source,
    nextAt: times[0],
    after() {
      next += 1
      return times[next]
    },
  }
}

/** Pauses after each call, and waits for exactly Retry-After after a 429. */
function waiting(source: string, firstAt: number, pause: number): Actor {
  return {
    source,
    nextAt: firstAt,
    after: ({ outcome, shown, decidedAt }, at) =>
      at + (outcome === 'admitted' ? pause : secondsUntil(shown.resetsAt, decidedAt)),
  }
}

function fleet(workers: number, spread: number, pause: number): Actor[] {
  return Array.from({ length: workers }, (_, index) => waiting(HERE, (index * spread) / workers, pause))
}

async function simulate(limits: Limits, actors: Actor[], seconds: number) {
  const operator = adminContext(store, START)
  const { id } = await createAccount(operator, { name: crypto.randomUUID(), plan: 'enterprise', limits })
  const hash = hashSecret((await issueKey(operator, { account: String(id) })).key)
  const limiter = await MemoryRateLimiter.open(store, POLICY, START)
  const find = async () => (await store.findCaller(hash)) ?? assert.fail('no caller')
  let caller = await find()
  const outcomes = { admitted: 0, refused: 0, banned: 0 }
  const admitted = new Map<string, number>()
  const log: { at: number; outcome: Decision['outcome'] }[] = []
  for (;;) {
    const actor = actors.reduce((one, other) => ((other.nextAt ?? Infinity) < (one.nextAt ?? Infinity) ? other : one))
    const at = actor.nextAt
    if (at === undefined || at >= seconds) break
    const now = START + Math.round(at * SECOND_MS)
    const decision = await limiter.consume(caller, () => actor.source, now)
    outcomes[decision.outcome] += 1
    const known = banOfSource(caller.bans, actor.source)
    if (decision.outcome === 'banned' && !(known && isInForce(known, now))) caller = await find()
    if (decision.outcome === 'admitted') admitted.set(actor.source, (admitted.get(actor.source) ?? 0) + 1)
    log.push({ at, outcome: decision.outcome })
    actor.nextAt = actor.after(decision, at)
  }
  const bans = (await store.listBans({ accountId: id })).reverse().map(({ source, startedAt, endsAt }) => ({
    source,
    at: (startedAt - START) / SECOND_MS,
    seconds: (endsAt - startedAt) / SECOND_MS,
  }))
  return { bans, outcomes, admitted, log }
}
