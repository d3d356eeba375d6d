import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { Caller } from './account.ts'
import { generateKey } from './api-key.ts'
import type { AuditAction, NewAuditEntry } from './audit.ts'
import { type Ban, type BanPolicy, isInForce } from './ban.ts'
import { type Limits, limitsOf } from './plan.ts'
import { current, type Decision, type RateLimiter, type Window } from './rate-limiter.ts'
import { hashSecret, hintOf } from './secret.ts'
import type { Store } from './store.ts'
import { DAY_MS, MINUTE_MS } from './time.ts'

/** An empty rate limiter, and the store with its callers; other tests may use the store too. */
export interface OpenedLimiter {
  limiter: RateLimiter
  store: Store
  /** Opens another rate limiter instead, as after a restart at `now`. */
  reopen(now: number): Promise<RateLimiter>
  /** Whether a restart forgets the refusals that keys have ignored. */
  forgetsStrikes: boolean
  /** Makes storing bans fail until the returned function is called; that may happen more than once. */
  refuseBans(): () => void
  close(): Promise<void>
}

export type OpenLimiter = (policy: BanPolicy, now: number) => Promise<OpenedLimiter>

const SECOND_MS = 1_000
const HOUR_MS = 3_600 * SECOND_MS
const MIDNIGHT = Date.UTC(2027, 2, 2)
const NOON = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const POLICY: BanPolicy = { after: 10, withinSeconds: 600, forSeconds: 900, maxSeconds: 86_400 }

/** The contract of every rate limiter. */
export function rateLimiterContract(name: string, open: OpenLimiter): void {
  const rule = (sentence: string, check: (world: World) => Promise<void>, policy = POLICY) =>
    test(`${name}: ${sentence}`, async t => check(await World.open(t, open, policy)))

  for (const { calls, limits } of [
    { calls: 100, limits: limitsOf('free') },
    { calls: 1_200, limits: limitsOf('business') },
    { calls: 100, limits: { perMinute: 90, perDay: 40 } },
  ]) {
    const limit = Math.min(limits.perMinute, limits.perDay)
    rule(`of ${calls} calls at once exactly ${limit} are admitted, each Remaining once`, async world => {
      const caller = await world.createCaller(limits)
      const decisions = await Promise.all(Array.from({ length: calls }, () => world.limiter.consume(caller, NOON)))
      const admitted = decisions.filter(({ outcome }) => outcome === 'admitted')
      assert.deepEqual(
        admitted.map(({ shown }) => shown.remaining).toSorted((a, b) => b - a),
        Array.from({ length: limit }, (_, used) => limit - 1 - used),
      )
      const others = decisions.filter(({ outcome }) => outcome !== 'admitted')
      assert.ok(others.every(({ outcome, shown }) => outcome === 'refused' && shown.remaining === 0))
    })
  }

  rule('a refused call costs nothing in either window', async world => {
    const caller = await world.createCaller({ perMinute: 2, perDay: 5 })
    const admitted = async (now: number) => {
      const decisions = await world.consume(caller, now, 20)
      return decisions.filter(({ outcome }) => outcome === 'admitted').length
    }
    assert.deepEqual(
      [await admitted(NOON), await admitted(NOON + MINUTE_MS), await admitted(NOON + 2 * MINUTE_MS)],
      [2, 2, 1],
    )
    const [refused] = await world.consume(caller, NOON + 2 * MINUTE_MS + 500)
    assert.deepEqual(remainingOf(refused), { minute: 1, day: 0 })
  })

  rule('a call refused by the minute does not count in the day', async world => {
    const caller = await world.createCaller({ perMinute: 3, perDay: 10 })
    const decisions = await world.consume(caller, NOON, 9)
    assert.deepEqual(remainingOf(decisions.at(-1)), { minute: 0, day: 7 })
  })

  rule('a refused call does not begin a window', async world => {
    const caller = await world.createCaller({ perMinute: 5, perDay: 1 })
    await world.consume(caller, MIDNIGHT - 2 * MINUTE_MS)
    assert.equal((await world.consume(caller, MIDNIGHT - 10))[0]?.outcome, 'refused')
    const [first] = await world.consume(caller, MIDNIGHT)
    assert.equal(first?.outcome, 'admitted')
    assert.equal(windowOf(first, 'minute').resetsAt, MIDNIGHT + MINUTE_MS)
  })

  rule(
    'a client that sleeps until the minute resets is admitted, one that wakes a millisecond early is not',
    async world => {
      const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
      await world.consume(caller, NOON)
      const [refused] = await world.consume(caller, NOON + 70)
      assert.equal(refused?.shown.resetsAt, NOON + MINUTE_MS)
      assert.equal((await world.consume(caller, NOON + MINUTE_MS - 1))[0]?.outcome, 'refused')
      assert.equal((await world.consume(caller, NOON + MINUTE_MS))[0]?.outcome, 'admitted')
    },
  )

  rule(
    'a client that sleeps until the day resets is admitted, one that wakes a millisecond early is not',
    async world => {
      const caller = await world.createCaller({ perMinute: 100, perDay: 1 })
      await world.consume(caller, NOON)
      const [refused] = await world.consume(caller, NOON + MINUTE_MS)
      assert.equal(refused?.shown.resetsAt, MIDNIGHT)
      assert.equal((await world.consume(caller, MIDNIGHT - 1))[0]?.outcome, 'refused')
      assert.equal((await world.consume(caller, MIDNIGHT))[0]?.outcome, 'admitted')
    },
  )

  rule('the usage of an account can be read any number of times, and costs no call', async world => {
    const caller = await world.createCaller({ perMinute: 5, perDay: 100 })
    const read = (now: number) => world.limiter.read(caller, now)
    const { counts } = await read(NOON)
    assert.deepEqual([counts.minute, counts.day], [undefined, undefined])
    await world.consume(caller, NOON, 3)
    const minute = { used: 3, resetsAt: NOON + MINUTE_MS }
    for (const now of [NOON, NOON + 1, NOON + MINUTE_MS - 1]) {
      const expected = { counts: { minute, day: { used: 3, resetsAt: MIDNIGHT } }, readAt: now, isComplete: true }
      for (let times = 0; times < 9; times += 1) assert.deepEqual(await read(now), expected)
    }
    await world.restart(NOON + 2)
    assert.deepEqual((await read(NOON + 2)).counts.minute, minute, 'after a restart')
    assert.deepEqual(remainingOf((await world.consume(caller, NOON + 3))[0]), { minute: 1, day: 96 })
    await world.consume(caller, NOON + 3, 3)
    assert.equal((await read(NOON + 4)).counts.minute?.used, 5, 'refused calls cost nothing')
    const { counts: later } = await read(NOON + MINUTE_MS)
    assert.equal(current(later.minute, MINUTE_MS, NOON + MINUTE_MS), undefined, 'the minute is over')
    assert.equal(later.day?.used, 5)
  })

  rule('a window never moves, and Remaining never rises inside it', async world => {
    const caller = await world.createCaller({ perMinute: 25, perDay: 1_000 })
    let last = 25
    for (let elapsed = 0; elapsed < MINUTE_MS; elapsed += 1_999) {
      const [decision] = await world.consume(caller, NOON + elapsed)
      assert.equal(windowOf(decision, 'minute').resetsAt, NOON + MINUTE_MS)
      assert.equal(windowOf(decision, 'day').resetsAt, MIDNIGHT)
      const { remaining } = windowOf(decision, 'minute')
      assert.equal(remaining, Math.max(0, last - 1))
      last = remaining
    }
  })

  rule('a minute begins at the first counted call, not at a full minute', async world => {
    const caller = await world.createCaller({ perMinute: 5, perDay: 100 })
    const resets: number[] = []
    for (const now of [NOON, NOON + MINUTE_MS + 12_345, NOON + 5 * MINUTE_MS]) {
      const [decision] = await world.consume(caller, now)
      resets.push(windowOf(decision, 'minute').resetsAt - now)
    }
    assert.deepEqual(resets, [MINUTE_MS, MINUTE_MS, MINUTE_MS])
  })

  rule('a day is the UTC calendar day, and a minute continues across midnight', async world => {
    const caller = await world.createCaller({ perMinute: 10, perDay: 100 })
    const [before] = await world.consume(caller, MIDNIGHT - 1)
    assert.deepEqual(remainingOf(before), { minute: 9, day: 99 })
    assert.equal(windowOf(before, 'day').resetsAt, MIDNIGHT)
    const [after] = await world.consume(caller, MIDNIGHT)
    assert.deepEqual(remainingOf(after), { minute: 8, day: 99 })
    assert.equal(windowOf(after, 'day').resetsAt, MIDNIGHT + DAY_MS)
    assert.equal(windowOf(after, 'minute').resetsAt, MIDNIGHT - 1 + MINUTE_MS)
  })

  rule('a clock that is set back a little gives nothing back', async world => {
    const caller = await world.createCaller({ perMinute: 3, perDay: 100 })
    await world.consume(caller, MIDNIGHT + 10, 3)
    const [refused] = await world.consume(caller, MIDNIGHT - 10)
    assert.equal(refused?.outcome, 'refused')
    assert.deepEqual(remainingOf(refused), { minute: 0, day: 97 })
    assert.equal(refused.shown.resetsAt, MIDNIGHT + 10 + MINUTE_MS)
  })

  rule('a day continues after the clock was set over midnight and back, and never begins again', async world => {
    const caller = await world.createCaller({ perMinute: 10, perDay: 3 })
    await world.consume(caller, NOON, 3)
    await world.limiter.save(NOON + DAY_MS)
    const outcomeAt = async (now: number) => (await world.consume(caller, now))[0]?.outcome
    assert.equal(await outcomeAt(NOON + 2 * MINUTE_MS), 'refused')
    await world.restart(NOON + DAY_MS)
    assert.equal(await outcomeAt(NOON + 4 * MINUTE_MS), 'refused')
    await world.consume(caller, NOON + DAY_MS, 3)
    for (const now of [NOON + 6 * MINUTE_MS, NOON + DAY_MS + MINUTE_MS]) {
      await world.limiter.save(now)
      assert.equal(await outcomeAt(now), 'refused', 'the next day has begun early, and is used up')
    }
  })

  rule('a plan change keeps what was used', async world => {
    const caller = await world.createCaller({ perMinute: 10, perDay: 100 })
    const withLimits = (limits: Limits) => ({ ...caller, limits })
    await world.consume(caller, NOON, 5)
    const [lowered] = await world.consume(withLimits({ perMinute: 3, perDay: 4 }), NOON + 1)
    assert.equal(lowered?.outcome, 'refused')
    assert.deepEqual(remainingOf(lowered), { minute: 0, day: 0 })
    assert.deepEqual([windowOf(lowered, 'minute').limit, windowOf(lowered, 'day').limit], [3, 4])
    const [raised] = await world.consume(withLimits({ perMinute: 300, perDay: 10_000 }), NOON + 2)
    assert.deepEqual(remainingOf(raised), { minute: 294, day: 9_994 })
    assert.equal(windowOf(raised, 'minute').resetsAt, NOON + MINUTE_MS)
  })

  rule('the window with the fewest calls remaining is shown; of equals, the one that resets later', async world => {
    const shown = async (limits: Limits, now: number, calls = 1) => {
      const decisions = await world.consume(await world.createCaller(limits), now, calls)
      return decisions.at(-1)?.shown.name
    }
    assert.equal(await shown({ perMinute: 5, perDay: 6 }, NOON), 'minute')
    assert.equal(await shown({ perMinute: 6, perDay: 5 }, NOON), 'day')
    assert.equal(await shown({ perMinute: 5, perDay: 5 }, NOON), 'day')
    assert.equal(await shown({ perMinute: 5, perDay: 5 }, MIDNIGHT - 1), 'minute')
    assert.equal(await shown({ perMinute: 5, perDay: 6 }, NOON, 6), 'minute', 'the exhausted one is shown')
    assert.equal(await shown({ perMinute: 6, perDay: 5 }, NOON, 6), 'day', 'the exhausted one is shown')
    assert.equal(await shown({ perMinute: 5, perDay: 5 }, NOON, 6), 'day', 'of two exhausted ones, the later reset')
    assert.equal(await shown({ perMinute: 5, perDay: 5 }, MIDNIGHT - 1, 6), 'minute', 'which may be the minute’s')
  })

  rule('all keys of an account share its limits; other accounts have their own', async world => {
    const caller = await world.createCaller({ perMinute: 4, perDay: 100 })
    const sibling = await world.createSibling(caller)
    const stranger = await world.createCaller({ perMinute: 4, perDay: 100 })
    const remaining: (number | undefined)[] = []
    for (const one of [caller, sibling, caller, sibling]) {
      remaining.push((await world.consume(one, NOON))[0]?.shown.remaining)
    }
    assert.deepEqual(remaining, [3, 2, 1, 0])
    assert.equal((await world.consume(sibling, NOON))[0]?.outcome, 'refused')
    assert.deepEqual(remainingOf((await world.consume(stranger, NOON))[0]), { minute: 3, day: 99 })
  })

  rule('calls already in flight when the first 429 comes do not earn a ban', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
    await world.consume(caller, NOON)
    const first = NOON + 200
    for (const now of [first, first + 500, first + 999]) {
      const decisions = await world.consume(caller, now, 100)
      assert.ok(decisions.every(({ outcome }) => outcome === 'refused'))
    }
    assert.deepEqual(await world.listBans(), [])
  })

  rule('the tenth ignored refusal earns a ban of 15 minutes, which is stored before the response', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
    const now = await world.ignoreRefusals(caller, NOON, 9)
    assert.deepEqual(await world.listBans(), [])
    const [decision] = await world.consume(caller, now)
    const stored = (await world.refresh(caller)).lastBan
    assert.equal(decision?.outcome, 'banned')
    assert.equal(decision.shown.remaining, 0)
    assert.equal(decision.shown.resetsAt, now + 900 * SECOND_MS)
    assert.ok(decision.windows.every(({ remaining, resetsAt }) => remaining === 0 && resetsAt === now + 900_000))
    const expected = {
      keyId: caller.keyId,
      startedAt: now,
      endsAt: now + 900 * SECOND_MS,
      ordinal: 1,
      liftedAt: undefined,
    }
    assert.deepEqual({ ...stored, id: 0n }, { id: 0n, ...expected })
    assert.deepEqual(await world.listBans(), [stored])
  })

  rule('parallel ignored refusals earn one ban', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
    await world.consume(caller, NOON, 2)
    const decisions = await Promise.all(
      Array.from({ length: 100 }, () => world.limiter.consume(caller, NOON + 2 * SECOND_MS)),
    )
    const outcomes = decisions.map(({ outcome }) => outcome)
    assert.equal(outcomes.filter(outcome => outcome === 'refused').length, 9)
    assert.equal(outcomes.filter(outcome => outcome === 'banned').length, 91)
    assert.equal((await world.refresh(caller)).lastBan?.ordinal, 1)
    const ends = new Set(decisions.slice(9).map(({ shown }) => shown.resetsAt))
    assert.deepEqual([...ends], [NOON + 902 * SECOND_MS])
  })

  rule(
    'a call during a ban costs nothing and does not lengthen it; at its end the key is admitted again',
    async world => {
      const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
      const start = await world.earnBan(caller, NOON)
      const end = start + 900 * SECOND_MS
      for (let now = start; now < end; now += 9_999) {
        const [decision] = await world.consume(caller, now)
        assert.equal(decision?.outcome, 'banned')
        assert.equal(decision.shown.resetsAt, end)
      }
      assert.equal((await world.consume(caller, end - 1))[0]?.outcome, 'banned')
      const [decision] = await world.consume(caller, end)
      assert.equal(decision?.outcome, 'admitted')
      assert.deepEqual(remainingOf(decision), { minute: 0, day: 98 })
    },
  )

  rule(
    'a ban that cannot be stored does not apply: the call is refused, and the next ignored refusal tries again',
    async world => {
      const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
      const now = await world.ignoreRefusals(caller, NOON, 9)
      const allowBans = world.refuseBans()
      for (const { outcome, shown } of await world.consume(caller, now, 25)) {
        assert.deepEqual([outcome, shown.remaining, shown.resetsAt], ['refused', 0, NOON + MINUTE_MS])
      }
      allowBans()
      assert.deepEqual(await world.listBans(), [])
      assert.equal((await world.consume(caller, now + 1))[0]?.outcome, 'banned')
      assert.equal((await world.refresh(caller)).lastBan?.startedAt, now + 1)
    },
  )

  rule('a ban that cannot be stored lets no parallel call exceed the limits', async world => {
    const caller = await world.createCaller({ perMinute: 2, perDay: 100 })
    const now = await world.ignoreRefusals(caller, NOON, 9)
    const allowBans = world.refuseBans()
    const decisions = await Promise.all([
      ...Array.from({ length: 20 }, () => world.limiter.consume(caller, now)),
      ...Array.from({ length: 20 }, () => world.limiter.consume(caller, NOON + MINUTE_MS)),
    ])
    allowBans()
    const outcomes = decisions.map(({ outcome }) => outcome)
    assert.ok(outcomes.slice(0, 20).every(outcome => outcome === 'refused'))
    assert.deepEqual(outcomes.slice(20).toSorted(), [...Array(2).fill('admitted'), ...Array(18).fill('refused')])
  })

  rule('the other keys of an account keep working while one is banned', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
    const sibling = await world.createSibling(caller)
    const start = await world.earnBan(caller, NOON)
    assert.equal((await world.consume(sibling, start))[0]?.outcome, 'refused')
    assert.equal((await world.consume(sibling, NOON + MINUTE_MS))[0]?.outcome, 'admitted')
    assert.equal((await world.consume(caller, NOON + MINUTE_MS))[0]?.outcome, 'banned')
  })

  rule('ignored refusals in several windows add up', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
    for (let minute = 0; minute < 4; minute += 1) {
      await world.ignoreRefusals(caller, NOON + minute * MINUTE_MS, 2)
    }
    const now = await world.ignoreRefusals(caller, NOON + 4 * MINUTE_MS, 1)
    assert.equal((await world.consume(caller, now))[0]?.outcome, 'banned')
  })

  rule('refusals ignored more than ten minutes ago are forgotten', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
    await world.ignoreRefusals(caller, NOON, 9)
    const now = await world.ignoreRefusals(caller, NOON + 11 * MINUTE_MS, 9)
    assert.deepEqual(await world.listBans(), [])
    assert.equal((await world.consume(caller, now))[0]?.outcome, 'banned')
  })

  rule('each ban in a row lasts twice as long, up to 24 hours, until 24 hours have passed without one', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 1_000_000 })
    const minutes: number[] = []
    let now = NOON
    for (let ban = 0; ban < 9; ban += 1) {
      const start = await world.earnBan(caller, now)
      const { lastBan } = await world.refresh(caller)
      minutes.push(((lastBan?.endsAt ?? 0) - start) / MINUTE_MS)
      now = (lastBan?.endsAt ?? 0) + 10 * HOUR_MS
    }
    assert.deepEqual(minutes, [15, 30, 60, 120, 240, 480, 960, 1_440, 1_440])
    await world.earnBan(caller, now + 14 * HOUR_MS)
    assert.equal((await world.refresh(caller)).lastBan?.ordinal, 1)
  })

  rule('a lifted ban ends with the caller’s next look-up, and still counts in the row', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
    const start = await world.earnBan(caller, NOON)
    const { lastBan } = await world.refresh(caller)
    await world.store.liftBan(lastBan?.id ?? 0n, entryAt(start + SECOND_MS, 'ban.lift'))
    assert.equal((await world.consume(caller, NOON + MINUTE_MS))[0]?.outcome, 'admitted')
    const again = await world.earnBan(caller, NOON + 2 * MINUTE_MS)
    assert.equal((await world.refresh(caller)).lastBan?.endsAt, again + 1_800 * SECOND_MS)
  })

  rule('saved counts and bans are there after reopening', async world => {
    const caller = await world.createCaller({ perMinute: 10, perDay: 100 })
    const banned = await world.createCaller({ perMinute: 1, perDay: 100 })
    await world.consume(caller, NOON, 7)
    const start = await world.earnBan(banned, NOON)
    await world.restart(start)
    const [decision] = await world.consume(caller, start)
    assert.deepEqual(remainingOf(decision), { minute: 2, day: 92 })
    assert.equal(windowOf(decision, 'minute').resetsAt, NOON + MINUTE_MS)
    const [stillBanned] = await world.consume(banned, start)
    assert.equal(stillBanned?.outcome, 'banned')
    assert.equal(stillBanned.shown.resetsAt, start + 900 * SECOND_MS)
  })

  rule('a minute that crosses midnight continues after reopening', async world => {
    const caller = await world.createCaller({ perMinute: 2, perDay: 100 })
    await world.consume(caller, MIDNIGHT - 10 * SECOND_MS, 2)
    await world.restart(MIDNIGHT + SECOND_MS)
    const [decision] = await world.consume(caller, MIDNIGHT + 2 * SECOND_MS)
    assert.equal(decision?.outcome, 'refused')
    assert.equal(decision.shown.resetsAt, MIDNIGHT + 50 * SECOND_MS)
  })

  rule(
    'every history of calls is decided as the contract says',
    async world => {
      const first = await world.createCaller({ perMinute: 1, perDay: 1 })
      const second = await world.createCaller({ perMinute: 1, perDay: 1 })
      const callers = [first, await world.createSibling(first), second, await world.createSibling(second)] as const
      let month = 0
      await fc.assert(
        fc.asyncProperty(histories, async history => {
          // Histories are a month apart, so that none affects the next.
          month += 1
          await compare(world, callers, history, MIDNIGHT + month * 30 * DAY_MS)
        }),
        { numRuns: 500 },
      )
    },
    MODEL_POLICY,
  )
}

/** With this policy, random histories contain every kind of ban. */
const MODEL_POLICY: BanPolicy = { after: 3, withinSeconds: 90, forSeconds: 40, maxSeconds: 150 }
/** Longer than all backward steps of one history together: a window that a restart drops as over must not come back. */
const RESTART_MS = 2_000

type Step =
  | { type: 'call'; key: number; times: number }
  | { type: 'wait' | 'waitForMidnight'; ms: number }
  | { type: 'setLimits'; account: number; limits: Limits }
  | { type: 'lift'; key: number }
  | { type: 'restart' }

/** Steps for four keys of two accounts: calls, some of them parallel, restarts, new limits, and a clock that sometimes steps back. */
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ type: is('call'), key: fc.nat(3), times: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 5, arbitrary: fc.record({ type: is('wait'), ms: fc.integer({ min: -20, max: 1_200 }) }) },
  { weight: 2, arbitrary: fc.record({ type: is('wait'), ms: fc.integer({ min: 1_000, max: 50_000 }) }) },
  { weight: 3, arbitrary: fc.record({ type: is('wait'), ms: fc.integer({ min: 59_980, max: 60_020 }) }) },
  { weight: 1, arbitrary: fc.record({ type: is('wait'), ms: fc.integer({ min: 0, max: 26 * HOUR_MS }) }) },
  { weight: 1, arbitrary: fc.record({ type: is('waitForMidnight'), ms: fc.integer({ min: -20_000, max: 20 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: is('setLimits'),
      account: fc.nat(1),
      limits: fc.record({ perMinute: fc.integer({ min: 1, max: 6 }), perDay: fc.integer({ min: 1, max: 12 }) }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: is('lift'), key: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ type: is('restart') }) },
)

const histories = fc.record({
  /** Milliseconds from the start of a UTC day; often just before midnight. */
  startsAt: fc.oneof(fc.integer({ min: 0, max: DAY_MS }), fc.integer({ min: -2 * MINUTE_MS, max: 10 })),
  steps: fc.array(steps, { maxLength: 50 }),
})

function is<Type extends Step['type']>(type: Type): fc.Arbitrary<Type> {
  return fc.constant(type)
}

async function compare(
  world: World,
  callers: readonly [Caller, Caller, Caller, Caller],
  history: { startsAt: number; steps: readonly Step[] },
  midnight: number,
): Promise<void> {
  const model = new Model(MODEL_POLICY)
  const limits = [
    { perMinute: 2, perDay: 5 },
    { perMinute: 3, perDay: 4 },
  ]
  let now = midnight + history.startsAt
  for (const step of history.steps) {
    switch (step.type) {
      case 'call': {
        const caller = {
          ...(await world.refresh(callers[step.key] as Caller)),
          limits: limits[step.key >> 1] as Limits,
        }
        const decisions = await Promise.all(
          Array.from({ length: step.times }, () => world.limiter.consume(caller, now)),
        )
        for (const decision of decisions) assert.deepEqual(seen(decision), seen(model.consume(caller, now)))
        break
      }
      case 'wait':
        now += step.ms
        break
      case 'waitForMidnight':
        now = Math.max(now, (Math.floor(now / DAY_MS) + 1) * DAY_MS + step.ms)
        break
      case 'setLimits':
        limits[step.account] = step.limits
        break
      case 'lift': {
        const { keyId, lastBan } = await world.refresh(callers[step.key] as Caller)
        if (lastBan && isInForce(lastBan, now)) await world.store.liftBan(lastBan.id, entryAt(now, 'ban.lift'))
        model.lift(keyId, now)
        break
      }
      case 'restart':
        await world.restart(now)
        if (world.forgetsStrikes) model.forgetStrikes()
        now += RESTART_MS
    }
  }
}

/** The part of a decision that a caller sees: during a ban, only the ban. */
function seen({ outcome, windows, shown }: Decision): unknown {
  return outcome === 'banned'
    ? { outcome, remaining: shown.remaining, resetsAt: shown.resetsAt }
    : { outcome, windows, shown }
}

/**
 * A reference implementation of the contract ("Limits"), written to be readable, not fast: it keeps the times of all counted calls, and derives the
 * windows from them.
 */
export class Model {
  readonly #policy: BanPolicy
  readonly #counted = new Map<bigint, number[]>()
  readonly #bans = new Map<bigint, { endsAt: number; ordinal: number }>()
  /** For each key: the window of its first refusal, the time of that refusal, and the times of the ignored ones. */
  #refusals = new Map<bigint, { resetsAt: number; firstAt: number; ignoredAt: number[] }>()

  constructor(policy: BanPolicy) {
    this.#policy = policy
  }

  consume({ keyId, accountId, limits }: Pick<Caller, 'keyId' | 'accountId' | 'limits'>, now: number): Decision {
    const counted = this.#counted.get(accountId) ?? []
    this.#counted.set(accountId, counted)
    const minute = windowAt(counted, now, MINUTE_MS, time => time)
    const day = windowAt(counted, now, DAY_MS, time => Date.parse(new Date(time).toISOString().slice(0, 10)))
    const admitted = minute.used < limits.perMinute && day.used < limits.perDay
    const show = (name: 'minute' | 'day', lengthSeconds: number, limit: number, { used, resetsAt }: typeof day) => {
      const remaining = Math.max(0, limit - used - (admitted ? 1 : 0))
      return { name, lengthSeconds, limit, remaining, resetsAt }
    }
    const windows = [show('minute', 60, limits.perMinute, minute), show('day', 86_400, limits.perDay, day)]
    const [shown] = windows.toSorted((a, b) => a.remaining - b.remaining || b.resetsAt - a.resetsAt) as [Window]

    const banEndsAt = this.#bans.get(keyId)?.endsAt ?? 0
    const banned = (endsAt: number): Decision => ({
      outcome: 'banned',
      windows,
      shown: { ...shown, remaining: 0, resetsAt: endsAt },
      decidedAt: now,
    })
    if (now < banEndsAt) return banned(banEndsAt)
    if (admitted) {
      counted.push(now)
      return { outcome: 'admitted', windows, shown, decidedAt: now }
    }
    return this.#ignoresTooOften(keyId, shown.resetsAt, now)
      ? banned(this.#ban(keyId, now))
      : { outcome: 'refused', windows, shown, decidedAt: now }
  }

  lift(keyId: bigint, now: number): void {
    const ban = this.#bans.get(keyId)
    if (ban) ban.endsAt = Math.min(ban.endsAt, now)
  }

  /** Keeps counts and bans. */
  forgetStrikes(): void {
    this.#refusals = new Map()
  }

  #ignoresTooOften(keyId: bigint, resetsAt: number, now: number): boolean {
    const known = this.#refusals.get(keyId)
    const ignoredAt = (known?.ignoredAt ?? []).filter(time => now - time < this.#policy.withinSeconds * SECOND_MS)
    const firstAt = known?.resetsAt === resetsAt ? known.firstAt : now
    if (now - firstAt >= SECOND_MS) ignoredAt.push(now)
    this.#refusals.set(keyId, { resetsAt, firstAt, ignoredAt })
    return ignoredAt.length >= this.#policy.after
  }

  #ban(keyId: bigint, now: number): number {
    const { forSeconds, maxSeconds } = this.#policy
    const last = this.#bans.get(keyId)
    const ordinal = last && now < last.endsAt + DAY_MS ? last.ordinal + 1 : 1
    let seconds = forSeconds
    for (let time = 1; time < ordinal; time += 1) seconds = Math.min(seconds * 2, maxSeconds)
    this.#bans.set(keyId, { endsAt: now + seconds * SECOND_MS, ordinal })
    this.#refusals.delete(keyId)
    return now + seconds * SECOND_MS
  }
}

/** The window at `now`. A new window begins with the first call after the end of the last one, at the time given by `beginningAt`. */
function windowAt(
  counted: readonly number[],
  now: number,
  lengthMs: number,
  beginningAt: (time: number) => number,
): { used: number; resetsAt: number } {
  let used = 0
  let resetsAt = Number.NEGATIVE_INFINITY
  for (const time of [...counted, now]) {
    if (time >= resetsAt) {
      used = 0
      resetsAt = beginningAt(time) + lengthMs
    }
    used += 1
  }
  return { used: used - 1, resetsAt }
}

let accounts = 0

/** A limiter under test, with its callers and their usual actions. */
class World {
  limiter: RateLimiter
  readonly store: Store
  readonly #opened: OpenedLimiter
  readonly #hashes = new Map<bigint, string>()
  #allowBans = () => {}

  static async open(t: TestContext, open: OpenLimiter, policy: BanPolicy): Promise<World> {
    const opened = await open(policy, NOON)
    const world = new World(opened)
    t.after(() => {
      world.#allowBans()
      return opened.close()
    })
    return world
  }

  private constructor(opened: OpenedLimiter) {
    this.#opened = opened
    this.limiter = opened.limiter
    this.store = opened.store
  }

  async createCaller(limits: Limits): Promise<Caller> {
    accounts += 1
    const account = { name: `account ${accounts}`, plan: 'enterprise' as const, limits }
    const { id } = await this.store.createAccount(account, entryAt(NOON, 'account.create'))
    return this.#createKey(id)
  }

  /** Creates another key of the same account. */
  createSibling({ accountId }: Caller): Promise<Caller> {
    return this.#createKey(accountId)
  }

  async #createKey(accountId: bigint): Promise<Caller> {
    const key = generateKey('production')
    const hash = hashSecret(key)
    const { id } = await this.store.createKey(
      {
        accountId,
        hash,
        hint: hintOf(key),
        name: undefined,
        scope: 'read-write',
        networks: undefined,
        expiresAt: undefined,
      },
      entryAt(NOON, 'key.issue'),
    )
    this.#hashes.set(id, hash)
    return this.#find(id)
  }

  /** The caller with its newest ban in the store, and the limits that the test has set. */
  async refresh(caller: Caller): Promise<Caller> {
    return { ...(await this.#find(caller.keyId)), limits: caller.limits }
  }

  async #find(keyId: bigint): Promise<Caller> {
    return (await this.store.findCaller(this.#hashes.get(keyId) ?? '')) as Caller
  }

  /** The bans of these callers. */
  async listBans(): Promise<Ban[]> {
    return (await this.store.listBans()).filter(({ keyId }) => this.#hashes.has(keyId))
  }

  /** Makes calls one by one, as the service does: each time with the caller's newest ban. */
  async consume(caller: Caller, now: number, times = 1): Promise<Decision[]> {
    const decisions: Decision[] = []
    for (let call = 0; call < times; call += 1) {
      decisions.push(await this.limiter.consume(await this.refresh(caller), now))
    }
    return decisions
  }

  /** Uses up the remaining calls, and ignores refusals a second later. Returns that time. */
  async ignoreRefusals(caller: Caller, now: number, times: number): Promise<number> {
    while ((await this.consume(caller, now))[0]?.outcome === 'admitted');
    const later = now + SECOND_MS
    const decisions = await this.consume(caller, later, times)
    assert.ok(decisions.every(({ outcome }) => outcome === 'refused'))
    return later
  }

  /** Ignores refusals until the caller is banned. Returns that time. */
  async earnBan(caller: Caller, now: number): Promise<number> {
    const later = await this.ignoreRefusals(caller, now, POLICY.after - 1)
    assert.equal((await this.consume(caller, later))[0]?.outcome, 'banned')
    return later
  }

  get forgetsStrikes(): boolean {
    return this.#opened.forgetsStrikes
  }

  refuseBans(): () => void {
    this.#allowBans = this.#opened.refuseBans()
    return this.#allowBans
  }

  /** Saves, and continues with a new limiter. */
  async restart(now: number): Promise<void> {
    await this.limiter.save(now)
    this.limiter = await this.#opened.reopen(now)
  }
}

function windowOf(decision: Decision | undefined, name: Window['name']): Window {
  const window = decision?.windows.find(one => one.name === name)
  assert.ok(window, `a window named ${name}`)
  return window
}

function entryAt(at: number, action: AuditAction): NewAuditEntry {
  return { at, actor: 'ada', origin: '192.0.2.7', action, details: {} }
}

function remainingOf(decision: Decision | undefined): Record<string, number> {
  return Object.fromEntries((decision?.windows ?? []).map(({ name, remaining }) => [name, remaining]))
}
