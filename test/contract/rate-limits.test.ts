import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createAccount, setPlan } from '../../src/domain/administration/accounts.ts'
import { UserError } from '../../src/domain/errors.ts'
import type { Limits, Plan } from '../../src/domain/plan.ts'
import { adminContext } from '../support/admin-context.ts'
import { assertRefused, type Call, call } from '../support/call.ts'
import { untilOthersWritesShow } from '../support/eventually.ts'
import { createPet, petJson } from '../support/pets.ts'
import { type Rate, readRate } from '../support/rate.ts'
import { startTestService, type TestService } from '../support/service.ts'

// Specification, "Limits", and contract, "Rate limits".

const DAY_MS = 86_400_000

/** For tests with their own caller: if the time matters, each test starts a new day. */
const service = await startTestService({ after })

test('calls are limited by the plan of the account', async t => {
  const plans: [plan: Plan, limits: Limits][] = [
    ['free', { perMinute: 60, perDay: 1_000 }],
    ['pro', { perMinute: 300, perDay: 10_000 }],
    ['business', { perMinute: 1_000, perDay: 100_000 }],
    ['enterprise', { perMinute: 12_345, perDay: 678_901 }],
  ]
  for (const [plan, limits] of plans) {
    await t.test(`${plan}: ${limits.perMinute} a minute, ${limits.perDay} a day`, async () => {
      const { key } = await service.createCaller({ plan, ...(plan === 'enterprise' && { limits }) })
      const { limit, remaining, windows } = readRate(await call(service, { path: '/v1/pets', key }))
      assert.equal(limit, limits.perMinute)
      assert.equal(remaining, limits.perMinute - 1)
      assert.deepEqual(
        [windows.minute?.quota, windows.minute?.lengthSeconds, windows.day?.quota, windows.day?.lengthSeconds],
        [limits.perMinute, 60, limits.perDay, 86_400],
      )
    })
  }
})

test('an enterprise account needs both numbers to be created', async () => {
  for (const limits of [{}, { perMinute: 5 }, { perDay: 5 }]) {
    await assert.rejects(createAccount(service.adminContext(), { name: 'Half', plan: 'enterprise', limits }), UserError)
  }
})

test('the free plan admits 60 calls in a minute and refuses the 61st', async () => {
  const { key } = await service.createCaller({ plan: 'free' })
  for (let remaining = 59; remaining >= 0; remaining--) {
    const answer = await call(service, { path: '/v1/pets', key })
    assert.equal(answer.status, 200)
    assert.equal(readRate(answer).remaining, remaining)
  }
  assertRefused(await call(service, { path: '/v1/pets', key }), 'rate_limit_exceeded')
})

test('limits are counted per account: all its keys share them, and no other account does', async () => {
  const { account, key } = await service.createCaller({ limits: { perMinute: 3, perDay: 100 } })
  const { key: second } = await service.issueKey(account)
  const { key: stranger } = await service.createCaller({ limits: { perMinute: 3, perDay: 100 } })
  assert.equal((await rateOf(service, key)).remaining, 2)
  assert.equal((await rateOf(service, second)).remaining, 1)
  assert.equal((await rateOf(service, key)).remaining, 0)
  assertRefused(await call(service, { path: '/v1/pets', key: second }), 'rate_limit_exceeded')
  assert.equal((await rateOf(service, stranger)).remaining, 2)
})

test("the minute begins at the account's first counted call and lasts 60 s", async t => {
  const { noon } = goToNoon(service)
  service.clock.now = noon + 17_400
  const { key } = await service.createCaller({ plan: 'free' })
  const reset = (noon + 78_000) / 1_000
  assert.equal((await rateOf(service, key)).reset, reset)
  service.clock.now = noon + 77_399
  assert.deepEqual(pick(await rateOf(service, key)), { remaining: 58, reset })
  service.clock.now = noon + 77_400
  assert.deepEqual(pick(await rateOf(service, key)), { remaining: 59, reset: reset + 60 })
  await t.test('a pause between two windows belongs to none', async () => {
    service.clock.now = noon + 500_500
    assert.deepEqual(pick(await rateOf(service, key)), { remaining: 59, reset: noon / 1_000 + 561 })
  })
})

test('the day is the UTC calendar day', async () => {
  const { midnight } = goToNoon(service)
  service.clock.now = midnight - 1_500
  const { key } = await service.createCaller({ limits: { perMinute: 100, perDay: 5 } })
  const before = await rateOf(service, key)
  assert.deepEqual(before.windows.day, { quota: 5, lengthSeconds: 86_400, remaining: 4, secondsToReset: 2 })
  assert.equal(before.reset, midnight / 1_000)
  service.clock.now = midnight - 1
  assert.equal((await rateOf(service, key)).windows.day?.remaining, 3)
  service.clock.now = midnight
  const behind = await rateOf(service, key)
  assert.deepEqual(behind.windows.day, { quota: 5, lengthSeconds: 86_400, remaining: 4, secondsToReset: 86_400 })
  assert.equal(behind.windows.minute?.remaining, 97, 'the minute goes on over midnight')
})

test('a refusal names the limit that is used up, its period, and how long to wait', async () => {
  for (const [limits, used] of [
    [{ perMinute: 1, perDay: 2_000 }, 'The limit of 1 call per minute is used up; retry in 1 second.'],
    [{ perMinute: 2_000, perDay: 1 }, 'The limit of 1 call per day is used up; retry in 43,141 seconds.'],
  ] as const) {
    const { noon } = goToNoon(service)
    const { key } = await service.createCaller({ limits })
    assert.equal((await rateOf(service, key)).remaining, 0)
    service.clock.now = noon + 59_000
    const refused = await call(service, { path: '/v1/pets', key })
    assertRefused(refused, 'rate_limit_exceeded')
    assert.equal(refused.json.message, used)
  }
})

test('a window never moves, and Remaining never rises within it, whether calls are admitted or refused', async t => {
  const ban = { after: 1_000, withinSeconds: 600, forSeconds: 900, maxSeconds: 86_400 }
  const service = await startTestService(t, { config: { ban } })
  service.clock.now = goToNoon(service).noon + 300
  const { key } = await service.createCaller({ limits: { perMinute: 10, perDay: 1_000 } })
  let last = await rateOf(service, key)
  for (let step = 1; step < 59; step++) {
    service.clock.advance(1_000)
    const next = readRate(await call(service, { path: step % 3 ? '/v1/pets' : '/v1/nothing', key }))
    assert.equal(next.reset, last.reset)
    assert.ok(next.remaining <= last.remaining)
    assert.ok((next.windows.day?.remaining ?? 0) <= (last.windows.day?.remaining ?? 0))
    last = next
  }
})

test('a plan change keeps what was used', async () => {
  const { noon } = goToNoon(service)
  const { account, key } = await service.createCaller({ plan: 'free' })
  for (let calls = 0; calls < 10; calls++) await call(service, { path: '/v1/pets', key })
  const change = (plan: Plan, limits: Partial<Limits> = {}) =>
    setPlan(service.adminContext(), { account: String(account.id), plan, limits })

  await change('pro')
  const pro = await rateOf(service, key)
  assert.deepEqual([pro.limit, pro.remaining, pro.reset], [300, 289, noon / 1_000 + 60])
  assert.equal(pro.windows.day?.remaining, 9_989)

  await change('enterprise', { perMinute: 5, perDay: 1_000 })
  const answer = await call(service, { path: '/v1/pets', key })
  assertRefused(answer, 'rate_limit_exceeded')
  assert.deepEqual(pick(readRate(answer)), { remaining: 0, reset: noon / 1_000 + 60 })

  await change('free')
  assert.equal((await rateOf(service, key)).remaining, 48)
})

test('a plan changed by another process applies on the next call', async () => {
  const { noon } = goToNoon(service)
  const { account, key } = await service.createCaller({ plan: 'free' })
  assert.equal((await rateOf(service, key)).limit, 60)
  const other = await service.openStore()
  await setPlan(adminContext(other, service.clock.now), { account: String(account.id), plan: 'pro', limits: {} })
  await untilOthersWritesShow()
  assert.deepEqual(pick(await rateOf(service, key)), { remaining: 298, reset: noon / 1_000 + 60 })
})

test('every admitted call costs 1, with any response', async t => {
  const { key } = await service.createCaller({ plan: 'free' })
  const pet = await createPet(service, key)
  const path = new URL(pet.header('location') ?? '', service.baseUrl).pathname
  const etag = (await call(service, { path, key })).header('etag') ?? ''
  const once = { method: 'POST', path: '/v1/pets', key, headers: { 'Idempotency-Key': 'cost' }, body: petJson() }
  const calls: [status: number, what: string, request: Call][] = [
    [200, 'a list', { path: '/v1/pets', key }],
    [200, 'an animal', { path, key }],
    [200, 'HEAD', { method: 'HEAD', path, key }],
    [304, 'an unchanged animal', { path, key, headers: { 'If-None-Match': etag } }],
    [201, 'a creation', once],
    [201, 'its replay', once],
    [422, 'its key with another body', { ...once, body: petJson({ name: '"Other"' }) }],
    [400, 'a bad parameter', { path: '/v1/pets?limit=0', key }],
    [400, 'a bad body', { ...once, body: '{' }],
    [404, 'no animal', { path: '/v1/pets/0', key }],
    [404, 'no route', { path: '/v1/nothing', key }],
    [405, 'another method', { method: 'DELETE', path, key }],
    [413, 'a large body', { ...once, body: ' '.repeat(70_000) }],
    [415, 'another media type', { ...once, type: 'text/plain' }],
  ]
  let last = await rateOf(service, key)
  for (const [status, what, request] of calls) {
    await t.test(`${status}: ${what}`, async () => {
      const answer = await call(service, request)
      assert.equal(answer.status, status)
      const next = readRate(answer)
      assert.equal(next.remaining, last.remaining - 1)
      assert.equal(next.windows.day?.remaining, (last.windows.day?.remaining ?? 0) - 1)
      last = next
    })
  }
})

test('a refused call costs 0, in both windows', async () => {
  goToNoon(service)
  const { key } = await service.createCaller({ limits: { perMinute: 2, perDay: 100 } })
  await rateOf(service, key)
  await rateOf(service, key)
  for (let refusals = 0; refusals < 5; refusals++) {
    const answer = await call(service, { path: '/v1/pets', key })
    assertRefused(answer, 'rate_limit_exceeded')
    assert.equal(readRate(answer).windows.day?.remaining, 98)
  }
  service.clock.advance(60_000)
  const next = await rateOf(service, key)
  assert.deepEqual([next.windows.minute?.remaining, next.windows.day?.remaining], [1, 97])
})

test('a call that the day refuses is not counted in the minute', async () => {
  const { midnight } = goToNoon(service)
  service.clock.now = midnight - 30_000
  const { key } = await service.createCaller({ limits: { perMinute: 5, perDay: 2 } })
  await rateOf(service, key)
  await rateOf(service, key)
  for (let refusals = 0; refusals < 3; refusals++) {
    const answer = await call(service, { path: '/v1/pets', key })
    assertRefused(answer, 'rate_limit_exceeded')
    assert.equal(readRate(answer).windows.minute?.remaining, 3)
  }
  service.clock.now = midnight
  const next = await rateOf(service, key)
  assert.deepEqual([next.windows.minute?.remaining, next.windows.day?.remaining], [2, 1])
})

test('the headers show the window with the fewest remaining calls; of equals, the one that resets later', async t => {
  const { noon, midnight } = goToNoon(service)
  const cases: [what: string, now: number, limits: Limits, shown: 'minute' | 'day'][] = [
    ['the minute is tighter', noon, { perMinute: 5, perDay: 6 }, 'minute'],
    ['the day is tighter', noon, { perMinute: 6, perDay: 5 }, 'day'],
    ['equals at noon', noon, { perMinute: 5, perDay: 5 }, 'day'],
    ['equals before midnight', midnight - 10_000, { perMinute: 5, perDay: 5 }, 'minute'],
  ]
  for (const [what, now, limits, shown] of cases) {
    await t.test(what, async () => {
      service.clock.now = now
      const { key } = await service.createCaller({ limits })
      const rate = await rateOf(service, key)
      const reset = shown === 'minute' ? now + 60_000 : midnight
      assert.deepEqual([rate.limit, rate.remaining, rate.reset], [5, 4, reset / 1_000])
    })
  }
})

test('a 429 shows the exhausted window; if both are, the later reset', async t => {
  const { noon, midnight } = goToNoon(service)
  const cases: [what: string, now: number, limits: Limits, reset: number][] = [
    ['the minute', noon, { perMinute: 2, perDay: 9 }, noon + 60_000],
    ['the day', noon, { perMinute: 9, perDay: 2 }, midnight],
    ['both at noon', noon, { perMinute: 2, perDay: 2 }, midnight],
    ['both before midnight', midnight - 10_000, { perMinute: 2, perDay: 2 }, midnight + 50_000],
  ]
  for (const [what, now, limits, reset] of cases) {
    await t.test(what, async () => {
      service.clock.now = now
      const { key } = await service.createCaller({ limits })
      await rateOf(service, key)
      await rateOf(service, key)
      const answer = await call(service, { path: '/v1/pets', key })
      assertRefused(answer, 'rate_limit_exceeded')
      assert.deepEqual(pick(readRate(answer)), { remaining: 0, reset: reset / 1_000 })
      assert.equal(readRate(answer).limit, 2)
      assert.equal(answer.header('retry-after'), String((reset - now) / 1_000))
    })
  }
})

test('Retry-After is whole seconds, at least 1, rounded up: a client that sleeps exactly that long is admitted', async t => {
  for (const [waited, retryAfter] of [
    [0, 60],
    [1, 60],
    [999, 60],
    [1_000, 59],
    [58_999, 2],
    [59_000, 1],
    [59_999, 1],
  ] as const) {
    await t.test(`${waited} ms into the minute it is ${retryAfter}`, async () => {
      service.clock.now = goToNoon(service).noon + 123
      const { key } = await service.createCaller({ limits: { perMinute: 1, perDay: 100 } })
      await rateOf(service, key)
      service.clock.advance(waited)
      const answer = await call(service, { path: '/v1/pets', key })
      assertRefused(answer, 'rate_limit_exceeded')
      assert.equal(answer.header('retry-after'), String(retryAfter))
      service.clock.advanceSeconds(retryAfter)
      assert.equal((await call(service, { path: '/v1/pets', key })).status, 200)
    })
  }
})

test('a client that sleeps until the reset is admitted', async () => {
  const { noon } = goToNoon(service)
  service.clock.now = noon + 999
  const { key } = await service.createCaller({ limits: { perMinute: 1, perDay: 100 } })
  await rateOf(service, key)
  const { reset } = readRate(await call(service, { path: '/v1/pets', key }))
  service.clock.now = reset * 1_000
  assert.equal((await call(service, { path: '/v1/pets', key })).status, 200)
})

test("the day's count survives a restart", async t => {
  const service = await startTestService(t)
  const { noon, midnight } = goToNoon(service)
  const { key } = await service.createCaller({ limits: { perMinute: 1_000, perDay: 50 } })
  for (let calls = 0; calls < 20; calls++) await call(service, { path: '/v1/pets', key })
  await service.close()
  const next = await service.startAnother({ now: noon + 3_600_000 })
  const rate = await rateOf(next, key)
  assert.deepEqual([rate.limit, rate.remaining, rate.reset], [50, 29, midnight / 1_000])
  await next.close()
  const tomorrow = await service.startAnother({ now: midnight })
  assert.equal((await rateOf(tomorrow, key)).remaining, 49)
})

/** Moves the clock to noon of the next day, and returns that time and the end of the day. */
function goToNoon({ clock }: TestService): { noon: number; midnight: number } {
  const midnight = (Math.floor(clock.now / DAY_MS) + 2) * DAY_MS
  clock.now = midnight - DAY_MS / 2
  return { noon: clock.now, midnight }
}

async function rateOf(service: TestService, key: string): Promise<Rate> {
  const answer = await call(service, { path: '/v1/pets', key })
  assert.equal(answer.status, 200, answer.text)
  return readRate(answer)
}

function pick({ remaining, reset }: Rate): { remaining: number; reset: number } {
  return { remaining, reset }
}
