import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { liftBansOfKey, listBans } from '../../src/domain/administration/bans.ts'
import { GRACE_MS } from '../../src/domain/ban.ts'
import { adminContext } from '../support/admin-context.ts'
import { assertRefused, assertRefusedAs, call } from '../support/call.ts'
import { untilOthersWritesShow } from '../support/eventually.ts'
import { readRate } from '../support/rate.ts'
import type { Answer } from '../support/raw.ts'
import { startTestService, type TestService } from '../support/service.ts'

// Contract, "Bans": repeated calls after a 429 can cause a temporary ban of the key, for the source of these calls.

/** On a plan of 1 call a minute. */
const STRIKES = 60
const MINUTE_SECONDS = 60
const DAY_SECONDS = 86_400

/** For tests with their own caller: the clock continues from one test to the next. */
const service = await startTestService({ after })

test('calls that were queued or in flight at the first 429 do not count as ignoring it', async () => {
  const { key } = await exhaustedCaller(service)
  service.clock.advance(GRACE_MS - 1)
  for (let calls = 0; calls < 2 * STRIKES; calls++) assertRefused(await list(service, key), 'rate_limit_exceeded')
})

test('at 60 ignored refusals, 10 s or more after the first 429 of the window, the key is banned for that address for 15 minutes', async t => {
  const service = await startTestService(t)
  const { key } = await exhaustedCaller(service)
  service.clock.advance(GRACE_MS)
  for (let calls = 0; calls < STRIKES - 1; calls++) assertRefused(await list(service, key), 'rate_limit_exceeded')
  assert.deepEqual(await bansOf(service), [])
  assertRefusedAs(await list(service, key), ['rate_limit_exceeded', 'api_key_banned'])
  assert.equal((await bansOf(service)).length, 1)
  assertBannedFor(service, await list(service, key), 15 * MINUTE_SECONDS)
})

test('strikes of several windows do not add up', async () => {
  const { key } = await exhaustedCaller(service)
  for (let window = 0; window < 3; window++) {
    service.clock.advance(GRACE_MS)
    for (let calls = 0; calls < STRIKES - 1; calls++) assertRefused(await list(service, key), 'rate_limit_exceeded')
    service.clock.advanceSeconds(60)
    assert.equal((await list(service, key)).status, 200)
    assertRefused(await list(service, key), 'rate_limit_exceeded')
  }
})

test('in an exhausted day, ignored refusals older than 10 minutes no longer count', async () => {
  const { key } = await exhaustedCaller(service, { perMinute: 60, perDay: 1 })
  service.clock.advance(GRACE_MS)
  for (let calls = 0; calls < STRIKES - 1; calls++) assertRefused(await list(service, key), 'rate_limit_exceeded')
  service.clock.advanceSeconds(10 * MINUTE_SECONDS)
  for (let calls = 0; calls < STRIKES - 1; calls++) assertRefused(await list(service, key), 'rate_limit_exceeded')
  assertRefusedAs(await list(service, key), ['rate_limit_exceeded', 'api_key_banned'])
  assertRefused(await list(service, key), 'api_key_banned')
})

test('during a ban: 429 api_key_banned, Remaining 0, Reset and Retry-After at its end; calls do not lengthen it', async () => {
  const { key } = await exhaustedCaller(service)
  const endsAt = await earnBan(service, key, 15 * MINUTE_SECONDS)
  for (const wait of [0, 1_000, 60_000, 300_500]) {
    service.clock.advance(wait)
    for (let calls = 0; calls < 15; calls++) {
      const answer = await list(service, key)
      assertBannedUntil(service, answer, endsAt)
    }
  }
  service.clock.now = endsAt - 1
  assertBannedUntil(service, await list(service, key), endsAt)
  service.clock.now = endsAt
  assert.equal((await list(service, key)).status, 200)
})

test('a ban that ends before the exhausted window: Reset and Retry-After are at the end of the window', async t => {
  const ban = { after: 2, withinSeconds: 600, forSeconds: 3, maxSeconds: 3 }
  const service = await startTestService(t, { config: { ban } })
  const { key } = await exhaustedCaller(service)
  const endsAt = service.clock.now + MINUTE_SECONDS * 1_000
  service.clock.advance(GRACE_MS)
  await list(service, key)
  await list(service, key)
  const answer = await list(service, key)
  assertBannedUntil(service, answer, endsAt)
  service.clock.advanceSeconds(Number(answer.header('retry-after')))
  assert.equal((await list(service, key)).status, 200)
})

test('a client that sleeps for the Retry-After of a ban is admitted', async () => {
  const { key } = await exhaustedCaller(service)
  await earnBan(service, key, 15 * MINUTE_SECONDS)
  service.clock.advance(777)
  service.clock.advanceSeconds(Number((await list(service, key)).header('retry-after')))
  assert.equal((await list(service, key)).status, 200)
})

test('a banned call costs nothing', async () => {
  const { account, key } = await exhaustedCaller(service)
  const { key: other } = await service.issueKey(account)
  await earnBan(service, key, 15 * MINUTE_SECONDS)
  service.clock.advanceSeconds(60)
  const before = readRate(await list(service, other))
  for (let calls = 0; calls < 5; calls++) await list(service, key)
  service.clock.advanceSeconds(60)
  assert.equal(readRate(await list(service, other)).windows.day?.remaining, (before.windows.day?.remaining ?? 0) - 1)
})

test('the other keys of the account keep working', async () => {
  const { account, key } = await exhaustedCaller(service)
  const { key: other } = await service.issueKey(account)
  await earnBan(service, key, 15 * MINUTE_SECONDS)
  service.clock.advanceSeconds(60)
  assert.equal((await list(service, other)).status, 200)
  assertRefused(await list(service, key), 'api_key_banned')
})

test('each further ban is twice as long, up to 24 h', async () => {
  const { key } = await exhaustedCaller(service)
  for (const minutes of [15, 30, 60, 120, 240, 480, 960, 1_440, 1_440]) {
    service.clock.now = await earnBan(service, key, minutes * MINUTE_SECONDS)
    assert.equal((await list(service, key)).status, 200)
    assertRefused(await list(service, key), 'rate_limit_exceeded')
  }
})

test('after 24 clean hours a ban is forgiven', async t => {
  for (const [clean, minutes] of [
    [DAY_SECONDS - 11, 30],
    [DAY_SECONDS, 15],
  ] as const) {
    await t.test(`after ${clean} s the next ban lasts ${minutes} minutes`, async () => {
      const { key } = await exhaustedCaller(service)
      service.clock.now = await earnBan(service, key, 15 * MINUTE_SECONDS)
      service.clock.advanceSeconds(clean)
      assert.equal((await list(service, key)).status, 200)
      assertRefused(await list(service, key), 'rate_limit_exceeded')
      await earnBan(service, key, minutes * MINUTE_SECONDS)
    })
  }
})

test('a ban is a stored record with an end time, listed and lifted by operators: the next call is admitted', async t => {
  const service = await startTestService(t)
  const { key, keyId } = await exhaustedCaller(service)
  const endsAt = await earnBan(service, key, 15 * MINUTE_SECONDS)
  assert.deepEqual(
    (await bansOf(service)).map(({ ban }) => [ban.keyId, ban.source, ban.endsAt]),
    [[keyId, '127.0.0.1', endsAt]],
  )
  service.clock.advanceSeconds(60)
  assertRefused(await list(service, key), 'api_key_banned')
  await liftBansOfKey(service.adminContext(), String(keyId))
  assert.equal((await list(service, key)).status, 200)
  assert.deepEqual(await bansOf(service), [])
})

test('a ban lifted by another process ends on the next call', async () => {
  const { key, keyId } = await exhaustedCaller(service)
  await earnBan(service, key, 15 * MINUTE_SECONDS)
  service.clock.advanceSeconds(60)
  const other = await service.openStore()
  assertRefused(await list(service, key), 'api_key_banned')
  await liftBansOfKey(adminContext(other, service.clock.now), String(keyId))
  await untilOthersWritesShow()
  assert.equal((await list(service, key)).status, 200)
})

test('a lifted ban clears the strikes, but the next ban is longer', async () => {
  const { key, keyId } = await exhaustedCaller(service)
  await earnBan(service, key, 15 * MINUTE_SECONDS)
  await liftBansOfKey(service.adminContext(), String(keyId))
  service.clock.advanceSeconds(60)
  assert.equal((await list(service, key)).status, 200)
  assertRefused(await list(service, key), 'rate_limit_exceeded')
  await earnBan(service, key, 30 * MINUTE_SECONDS)
})

test('a ban survives a restart', async t => {
  const service = await startTestService(t)
  const { key } = await exhaustedCaller(service)
  const endsAt = await earnBan(service, key, 15 * MINUTE_SECONDS)
  await service.close()
  const next = await service.startAnother({ now: service.clock.now + 60_000 })
  assertBannedUntil(next, await list(next, key), endsAt)
  next.clock.now = endsAt
  assert.equal((await list(next, key)).status, 200)
})

test('all four numbers of a ban are settings', async t => {
  const ban = { after: 2, withinSeconds: 30, forSeconds: 100, maxSeconds: 150 }
  const service = await startTestService(t, { config: { ban } })
  const { key } = await exhaustedCaller(service)
  service.clock.advance(GRACE_MS)
  assertRefused(await list(service, key), 'rate_limit_exceeded')
  service.clock.advanceSeconds(30)
  assertRefused(await list(service, key), 'rate_limit_exceeded')
  await list(service, key)
  assertBannedFor(service, await list(service, key), 100)
  service.clock.advanceSeconds(100)
  assert.equal((await list(service, key)).status, 200)
  assertRefused(await list(service, key), 'rate_limit_exceeded')
  service.clock.advance(GRACE_MS)
  await list(service, key)
  await list(service, key)
  assertBannedFor(service, await list(service, key), 150)
})

/** A caller that has used up its minute and has just received the first 429 of it. */
async function exhaustedCaller(service: TestService, limits = { perMinute: 1, perDay: 1_000_000 }) {
  const caller = await service.createCaller({ limits })
  assert.equal((await list(service, caller.key)).status, 200)
  assertRefused(await list(service, caller.key), 'rate_limit_exceeded')
  return caller
}

/** Ignores refusals until the key is banned, and returns the end of the ban, which must be `seconds` from then. */
async function earnBan(service: TestService, key: string, seconds: number): Promise<number> {
  service.clock.advance(GRACE_MS)
  for (let calls = 0; calls < STRIKES; calls++) {
    assertRefusedAs(
      await list(service, key),
      calls < STRIKES - 1 ? ['rate_limit_exceeded'] : ['rate_limit_exceeded', 'api_key_banned'],
    )
  }
  assertBannedFor(service, await list(service, key), seconds)
  return service.clock.now + seconds * 1_000
}

function assertBannedFor(service: TestService, answer: Answer, seconds: number): void {
  assertBannedUntil(service, answer, service.clock.now + seconds * 1_000)
}

function assertBannedUntil(service: TestService, answer: Answer, endsAt: number): void {
  assertRefused(answer, 'api_key_banned')
  const { remaining, reset } = readRate(answer)
  assert.equal(remaining, 0)
  assert.equal(reset, Math.ceil(endsAt / 1_000))
  assert.equal(answer.header('retry-after'), String(Math.ceil((endsAt - service.clock.now) / 1_000)))
}

function bansOf({ store, clock }: TestService) {
  return listBans(store, { inForceAt: clock.now })
}

function list(service: TestService, key: string): Promise<Answer> {
  return call(service, { path: '/v1/pets', key })
}
