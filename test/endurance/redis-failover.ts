import { setTimeout as sleep } from 'node:timers/promises'
import { createAccount } from '../../src/domain/administration/accounts.ts'
import { issueKey } from '../../src/domain/administration/keys.ts'
import { getRequest } from '../hostile/phases.ts'
import type { Cleanup } from '../support/cleanup.ts'
import { makeStore, type Serving, startServe, type TestStore } from '../support/command-line.ts'
import { parseScrape, sumOf } from '../support/scrape.ts'
import { startPostgres } from '../support/servers/postgres.ts'
import { Caller } from './caller.ts'
import { inRounds } from './rounds.ts'
import type { Stage } from './scenario.ts'
import type { Tally } from './tally.ts'

/** A Redis that fails over. */
export interface FailingRedis {
  /** The value of PETSTORE_REDIS_URL. */
  urls: string
  /** Kills the primary. */
  fail(): Promise<unknown>
}

const ROUNDS = 5
const INSTANCES = 3
/** Some accounts use up their minute before the failover, some during it, and some after it. */
const LIMITS = [150, 250, 350, 450, 550].flatMap(limit => [limit, limit, limit, limit])
/** For each account on each instance. */
const CALL_EVERY_MS = 50
const BEFORE_MS = 3_000
const RETURN_MS = 20_000
/** The time limit for all accounts to use up their limits. All phases together take less than the minute. */
const USE_UP_MS = 25_000
/** Time to try more calls than are allowed. */
const AFTER_MS = 3_000
/** The store may not know the calls of this long before an outage, so they may be admitted again. */
const UNSAVED_MS = 600
/** A call whose reply was lost in the failover counts twice, so this many fewer may be admitted. */
const FEWER = INSTANCES
const LOOK_EVERY_MS = 25

/**
 * In each round, kills the Redis primary while many accounts call several instances. Notes how long the instances decide alone, and how
 * many calls they admit over the limits.
 */
export async function failRedisOver(stage: Stage, start: (t: Cleanup) => Promise<FailingRedis>): Promise<void> {
  const rounds = await inRounds(stage, ROUNDS, t => failOver(stage.tally, t, start))
  const { tally } = stage
  const list = (values: readonly (number | string)[]) => values.join(', ')
  tally.note(`every instance counts in Redis again after ${list(rounds.map(({ seconds }) => seconds.toFixed(1)))} s`)
  tally.note(`calls admitted over the limits: ${list(rounds.map(({ over }) => over))}`)
  tally.note(`allowed, because not stored yet: ${list(rounds.map(({ allowed }) => allowed))}`)
}

interface Round {
  /** From the kill until no instance counts alone. */
  seconds: number
  /** Calls admitted over the limits, and how many may be. */
  over: number
  allowed: number
}

async function failOver(tally: Tally, t: Cleanup, start: (t: Cleanup) => Promise<FailingRedis>): Promise<Round> {
  const postgres = await startPostgres()
  t.after(() => postgres.close())
  const redis = await start(t)
  const store = await makeStore(t, {
    PETSTORE_DATABASE_URL: postgres.url,
    PETSTORE_REDIS_URL: redis.urls,
    // Prevents bans: there are fewer than a thousand calls per second.
    PETSTORE_BAN_AFTER: '1000',
    PETSTORE_BAN_WITHIN: '1',
  })
  const accounts = await createAccounts(store)
  const instances = await Promise.all(Array.from({ length: INSTANCES }, () => startServe(t, {}, { store })))
  let isOver = false
  t.after(() => {
    isOver = true
  })
  const calling = instances.flatMap(({ url }) =>
    accounts.map(account => callOften(Number(new URL(url).port), account, tally, () => isOver)),
  )
  await sleep(BEFORE_MS)
  const killedAt = performance.now()
  await redis.fail()
  const returned = await Promise.all(instances.map(instance => untilReturned(instance, killedAt)))
  const seconds = (Math.max(...returned) - killedAt) / 1_000
  tally.expect(Number.isFinite(seconds), 'the instances do not use Redis again')
  const usedUpBy = performance.now() + USE_UP_MS
  const isUsedUp = () => accounts.every(({ admitted, limit }) => admitted.length >= limit - FEWER)
  while (!isUsedUp() && performance.now() < usedUpBy) await sleep(LOOK_EVERY_MS)
  await sleep(AFTER_MS)
  isOver = true
  await Promise.all(calling)
  for (const { name, limit, admitted } of accounts) {
    const allowed = limit + unsaved(admitted, killedAt)
    tally.expect(admitted.length >= limit - FEWER, `only ${admitted.length} of ${limit} calls of ${name} were admitted`)
    tally.expect(admitted.length <= allowed, `${admitted.length} calls of ${name} were admitted, more than ${allowed}`)
  }
  const sum = (of: (account: Account) => number) => accounts.reduce((total, account) => total + of(account), 0)
  return {
    seconds,
    over: sum(({ admitted, limit }) => Math.max(0, admitted.length - limit)),
    allowed: sum(({ admitted }) => unsaved(admitted, killedAt)),
  }
}

interface Account {
  name: string
  key: string
  limit: number
  /** When each admitted call was answered, by `performance.now()`. */
  admitted: number[]
}

function unsaved(admitted: readonly number[], lostAt: number): number {
  return admitted.filter(at => at >= lostAt - UNSAVED_MS && at < lostAt).length
}

function createAccounts(store: TestStore): Promise<Account[]> {
  return store.act(async context => {
    const accounts: Account[] = []
    for (const [index, limit] of LIMITS.entries()) {
      const name = `account ${index + 1}`
      await createAccount(context, { name, plan: 'enterprise', limits: { perMinute: limit, perDay: 1_000_000 } })
      accounts.push({ name, key: (await issueKey(context, { account: name })).key, limit, admitted: [] })
    }
    return accounts
  })
}

async function callOften(port: number, account: Account, tally: Tally, isOver: () => boolean): Promise<void> {
  const caller = new Caller(port)
  const request = getRequest('/v1/pets', account.key)
  while (!isOver()) {
    const startedAt = performance.now()
    const outcome = await caller.call(request)
    tally.count(outcome)
    if (outcome.kind === 'answered' && outcome.answer.status === 200) account.admitted.push(performance.now())
    await sleep(Math.max(0, startedAt + CALL_EVERY_MS - performance.now()))
  }
  caller.close()
}

/** When an instance that has counted alone uses Redis again; Infinity if it does not in time. */
async function untilReturned({ operatorUrl }: Serving, from: number): Promise<number> {
  for (let wasAlone = false; performance.now() < from + RETURN_MS; ) {
    const scrape = parseScrape(await (await fetch(`${operatorUrl}/metrics`)).text())
    const isAlone = sumOf(scrape, 'petstore_limiter_alone') === 1
    if (wasAlone && !isAlone) return performance.now()
    wasAlone ||= isAlone
    await sleep(LOOK_EVERY_MS)
  }
  return Number.POSITIVE_INFINITY
}
