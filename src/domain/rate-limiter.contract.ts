import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { Caller } from './account.ts'
import { generateKey } from './api-key.ts'
import type { AuditAction, NewAuditEntry } from './audit.ts'
import { type Ban, type BanPolicy, banOfSource, GRACE_MS, isInForce, MAX_BANS, MAX_SOURCES } from './ban.ts'
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
  /** Whether a restart forgets the refusals that sources have ignored. */
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
/** Fewer than the plans' numbers, so that the tests are short. */
const AFTER = 10
const POLICY: BanPolicy = { after: AFTER, withinSeconds: 600, forSeconds: 900, maxSeconds: 86_400 }

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
      const decisions = await Promise.all(
        Array.from({ length: calls }, () => world.limiter.consume(caller, () => SOURCE, NOON)),
      )
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

  rule('calls that were queued or in flight when the first 429 came do not earn a ban', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
    await world.consume(caller, NOON)
    const first = NOON + 200
    for (const now of [first, first + 5_000, first + GRACE_MS - 1]) {
      const decisions = await world.consume(caller, now, 100)
      assert.ok(decisions.every(({ outcome }) => outcome === 'refused'))
    }
    assert.deepEqual(await world.listBans(), [])
  })

  rule('the last ignored refusal earns a ban of 15 minutes, which is stored before the response', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
    const now = await world.ignoreRefusals(caller, NOON, AFTER - 1)
    assert.deepEqual(await world.listBans(), [])
    const [decision] = await world.consume(caller, now)
    const stored = await world.lastBan(caller)
    assert.equal(decision?.outcome, 'banned')
    assert.equal(decision.shown.remaining, 0)
    assert.equal(decision.shown.resetsAt, now + 900 * SECOND_MS)
    assert.ok(decision.windows.every(({ remaining, resetsAt }) => remaining === 0 && resetsAt === now + 900_000))
    const expected = {
      keyId: caller.keyId,
      source: SOURCE,
      earnedIn: 'minute',
      startedAt: now,
      endsAt: now + 900 * SECOND_MS,
      ordinal: 1,
      liftedAt: undefined,
    }
    assert.deepEqual({ ...stored, id: 0n }, { id: 0n, ...expected })
    assert.deepEqual(await world.listBans(), [stored])
  })

  for (const { perMinute, after } of [
    { perMinute: 1, after: 60 },
    { perMinute: 60, after: 60 },
    { perMinute: 200, after: 200 },
    { perMinute: 1_000, after: 300 },
  ]) {
    rule(
      `on a plan of ${perMinute} a minute, ${after} ignored refusals earn a ban`,
      async world => {
        const caller = await world.createCaller({ perMinute, perDay: 1_000_000 })
        const now = await world.ignoreRefusals(caller, NOON, after - 1)
        assert.deepEqual(await world.listBans(), [])
        assert.equal((await world.consume(caller, now))[0]?.outcome, 'banned')
      },
      { ...POLICY, after: undefined },
    )
  }

  rule('a ban meets only the source that ignored its refusals', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
    const now = await world.earnBan(caller, NOON)
    const others = await world.consume(caller, now, 20, OTHER_SOURCE)
    assert.ok(others.every(({ outcome }) => outcome === 'refused'))
    assert.equal((await world.consume(caller, NOON + MINUTE_MS, 1, OTHER_SOURCE))[0]?.outcome, 'admitted')
    assert.equal((await world.consume(caller, NOON + MINUTE_MS, 1))[0]?.outcome, 'banned')
    assert.equal((await world.listBans()).length, 1)
  })

  rule('each source is counted alone, and has its own first 429', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
    const now = await world.ignoreRefusals(caller, NOON, AFTER - 1)
    assert.ok((await world.consume(caller, now, 20, OTHER_SOURCE)).every(({ outcome }) => outcome === 'refused'))
    const later = await world.consume(caller, now + GRACE_MS, AFTER, OTHER_SOURCE)
    assert.deepEqual(
      later.map(({ outcome }) => outcome),
      [...Array(AFTER - 1).fill('refused'), 'banned'],
    )
    assert.equal((await world.consume(caller, now + GRACE_MS))[0]?.outcome, 'banned')
    assert.deepEqual(
      (await world.listBans()).map(({ source, ordinal }) => [source, ordinal]),
      [
        [SOURCE, 1],
        [OTHER_SOURCE, 1],
      ],
    )
  })

  rule('parallel ignored refusals earn one ban', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
    await world.consume(caller, NOON, 2)
    const decisions = await Promise.all(
      Array.from({ length: 100 }, () => world.limiter.consume(caller, () => SOURCE, NOON + GRACE_MS)),
    )
    const outcomes = decisions.map(({ outcome }) => outcome)
    assert.equal(outcomes.filter(outcome => outcome === 'refused').length, AFTER - 1)
    assert.equal(outcomes.filter(outcome => outcome === 'banned').length, 101 - AFTER)
    assert.equal((await world.lastBan(caller))?.ordinal, 1)
    const ends = new Set(decisions.slice(AFTER - 1).map(({ shown }) => shown.resetsAt))
    assert.deepEqual([...ends], [NOON + GRACE_MS + 900 * SECOND_MS])
  })

  rule('a call during a ban costs nothing and does not lengthen it; at its end the source is admitted', async world => {
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
  })

  rule(
    'a ban shorter than the exhausted window shows the end of that window, and who sleeps until then is admitted',
    async world => {
      const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
      const start = await world.earnBan(caller, NOON)
      for (const now of [start, start + SECOND_MS, start + 2_999]) {
        const [banned] = await world.consume(caller, now)
        assert.deepEqual([banned?.outcome, banned?.shown.resetsAt], ['banned', NOON + MINUTE_MS])
      }
      assert.equal((await world.consume(caller, start + 3_000))[0]?.outcome, 'refused', 'the ban itself is over')
      assert.equal((await world.consume(caller, NOON + MINUTE_MS))[0]?.outcome, 'admitted')
    },
    { ...POLICY, forSeconds: 3 },
  )

  rule('a banned source is shown the end of the day that another source exhausts meanwhile', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 2 })
    const start = await world.earnBan(caller, NOON)
    assert.equal((await world.consume(caller, NOON + MINUTE_MS, 1, OTHER_SOURCE))[0]?.outcome, 'admitted')
    const [banned] = await world.consume(caller, start + 2 * MINUTE_MS)
    assert.deepEqual([banned?.outcome, banned?.shown.resetsAt], ['banned', MIDNIGHT])
    assert.equal((await world.consume(caller, MIDNIGHT))[0]?.outcome, 'admitted')
  })

  rule(
    'the first call after a ban is no strike: what is remembered of the source begins again',
    async world => {
      const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
      const start = await world.earnBan(caller, NOON)
      const decisions = [
        ...(await world.consume(caller, start + 2_000, AFTER)),
        ...(await world.consume(caller, start + 2_000 + GRACE_MS, AFTER - 1)),
      ]
      assert.ok(decisions.every(({ outcome }) => outcome === 'refused'))
      assert.equal((await world.consume(caller, start + 2_000 + GRACE_MS))[0]?.outcome, 'banned')
    },
    { ...POLICY, forSeconds: 2 },
  )

  rule('a ban earned in an exhausted day ends with that day, and does not lengthen the next one', async world => {
    const caller = await world.createCaller({ perMinute: 100, perDay: 1 })
    const minutes: number[] = []
    let now = NOON
    while (now < MIDNIGHT - MINUTE_MS) {
      const start = await world.earnBan(caller, now)
      const ban = (await world.lastBan(caller)) as Ban
      assert.deepEqual([ban.earnedIn, ban.ordinal], ['day', 1])
      minutes.push((ban.endsAt - start) / MINUTE_MS)
      now = ban.endsAt
    }
    assert.equal(now, MIDNIGHT)
    assert.ok(minutes.length > 40)
    assert.ok(minutes.slice(0, -1).every(length => length === 15))
    assert.ok((minutes.at(-1) as number) < 15)
    const nextDay = { ...caller, limits: { perMinute: 1, perDay: 100 } }
    assert.equal((await world.consume(nextDay, MIDNIGHT))[0]?.outcome, 'admitted')
    const start = await world.earnBan(nextDay, MIDNIGHT)
    const next = (await world.lastBan(caller)) as Ban
    assert.deepEqual([next.earnedIn, next.ordinal, next.endsAt - start], ['minute', 1, 15 * MINUTE_MS])
  })

  rule('no more bans of a key are in force than the bound; further sources are refused', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
    await world.createBans(caller, MAX_BANS - 1, NOON + 2 * MINUTE_MS)
    await world.earnBan(caller, NOON)
    const hammer = (now: number) => world.consume(caller, now, AFTER + 1, OTHER_SOURCE)
    for (const now of [NOON, NOON + GRACE_MS, NOON + 2 * GRACE_MS]) {
      assert.ok((await hammer(now)).every(({ outcome }) => outcome === 'refused'))
    }
    assert.equal((await world.listBans()).length, MAX_BANS)
    assert.equal((await hammer(NOON + 2 * MINUTE_MS))[0]?.outcome, 'admitted')
    const later = await hammer(NOON + 2 * MINUTE_MS + GRACE_MS)
    assert.equal(later.at(-1)?.outcome, 'banned', 'once bans are over, there is room again')
  })

  rule('parallel sources do not exceed that bound', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
    await world.createBans(caller, MAX_BANS - 2, NOON + 2 * MINUTE_MS)
    const sources = Array.from({ length: 20 }, (_, index) => `203.0.113.${index}`)
    await world.consume(caller, NOON)
    for (const source of sources) await world.consume(caller, NOON, 1, source)
    for (const source of sources) await world.consume(caller, NOON + GRACE_MS, AFTER - 1, source)
    const fresh = await world.refresh(caller)
    await Promise.all(sources.map(source => world.limiter.consume(fresh, () => source, NOON + GRACE_MS)))
    assert.equal((await world.listBans()).length, MAX_BANS)
  })

  rule('a crowd does not push out the source that hammers', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
    await world.consume(caller, NOON, 2)
    const outcomes: string[] = []
    for (let round = 0; round < AFTER; round += 1) {
      const now = NOON + GRACE_MS + round
      outcomes.push((await world.consume(caller, now))[0]?.outcome ?? '')
      for (let visitor = 0; visitor < 50; visitor += 1) {
        await world.limiter.consume(caller, () => `198.51.${round}.${visitor}`, now)
      }
    }
    assert.deepEqual(outcomes, [...Array(AFTER - 1).fill('refused'), 'banned'])
  })

  rule('the source that was not refused for the longest time is forgotten first', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
    const hammer = (now: number, source: string) => world.consume(caller, now, AFTER, source)
    await world.consume(caller, NOON, 2)
    await world.consume(caller, NOON, 1, OTHER_SOURCE)
    for (let one = 0; one < MAX_SOURCES - 2; one += 1) {
      await world.limiter.consume(caller, () => `198.51.100.${one}`, NOON)
    }
    await world.consume(caller, NOON + 1)
    await world.consume(caller, NOON + 1, 1, '203.0.113.1')
    const now = NOON + GRACE_MS + 1
    assert.equal((await hammer(now, OTHER_SOURCE)).at(-1)?.outcome, 'refused', 'it was forgotten')
    assert.equal((await hammer(now, SOURCE)).at(-1)?.outcome, 'banned', 'it was not')
  })

  rule(
    'a ban that cannot be stored does not apply: the call is refused, and the next ignored refusal tries again',
    async world => {
      const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
      const now = await world.ignoreRefusals(caller, NOON, AFTER - 1)
      const allowBans = world.refuseBans()
      for (const { outcome, shown } of await world.consume(caller, now, 25)) {
        assert.deepEqual([outcome, shown.remaining, shown.resetsAt], ['refused', 0, NOON + MINUTE_MS])
      }
      allowBans()
      assert.deepEqual(await world.listBans(), [])
      assert.equal((await world.consume(caller, now + 1))[0]?.outcome, 'banned')
      assert.equal((await world.lastBan(caller))?.startedAt, now + 1)
    },
  )

  rule('a ban that cannot be stored lets no parallel call exceed the limits', async world => {
    const caller = await world.createCaller({ perMinute: 2, perDay: 100 })
    const now = await world.ignoreRefusals(caller, NOON, AFTER - 1)
    const allowBans = world.refuseBans()
    const callAt = (at: number) => world.limiter.consume(caller, () => SOURCE, at)
    const decisions = await Promise.all([
      ...Array.from({ length: 20 }, () => callAt(now)),
      ...Array.from({ length: 20 }, () => callAt(NOON + MINUTE_MS)),
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

  rule('ignored refusals in several windows do not add up', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
    for (let minute = 0; minute < 4; minute += 1) {
      await world.ignoreRefusals(caller, NOON + minute * MINUTE_MS, AFTER - 1)
    }
    assert.deepEqual(await world.listBans(), [])
  })

  rule('in an exhausted day, refusals ignored more than ten minutes ago are forgotten', async world => {
    const caller = await world.createCaller({ perMinute: 10, perDay: 1 })
    const now = await world.ignoreRefusals(caller, NOON, AFTER - 1)
    const decisions = await world.consume(caller, now + 600 * SECOND_MS, AFTER - 1)
    assert.ok(decisions.every(({ outcome }) => outcome === 'refused'))
    assert.equal((await world.consume(caller, now + 600 * SECOND_MS))[0]?.outcome, 'banned')
  })

  rule('each ban in a row lasts twice as long, up to 24 hours, until 24 hours have passed without one', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 1_000_000 })
    const minutes: number[] = []
    let now = NOON
    for (let ban = 0; ban < 9; ban += 1) {
      const start = await world.earnBan(caller, now)
      const lastBan = await world.lastBan(caller)
      minutes.push(((lastBan?.endsAt ?? 0) - start) / MINUTE_MS)
      now = (lastBan?.endsAt ?? 0) + 10 * HOUR_MS
    }
    assert.deepEqual(minutes, [15, 30, 60, 120, 240, 480, 960, 1_440, 1_440])
    await world.earnBan(caller, now + 14 * HOUR_MS)
    assert.equal((await world.lastBan(caller))?.ordinal, 1)
  })

  rule('a lifted ban ends with the caller’s next look-up, and still counts in the row', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
    const start = await world.earnBan(caller, NOON)
    const lastBan = await world.lastBan(caller)
    await world.store.liftBan(lastBan?.id ?? 0n, entryAt(start + SECOND_MS, 'ban.lift'))
    assert.equal((await world.consume(caller, NOON + MINUTE_MS))[0]?.outcome, 'admitted')
    const again = await world.earnBan(caller, NOON + 2 * MINUTE_MS)
    assert.equal((await world.lastBan(caller))?.endsAt, again + 1_800 * SECOND_MS)
  })

  rule('a ban without a source, by an earlier release, applies to every source until it ends', async world => {
    const caller = await world.createCaller({ perMinute: 1, perDay: 100 })
    const term = { source: undefined, earnedIn: undefined, startedAt: NOON, endsAt: NOON + 5_000, ordinal: 1 }
    await world.store.createBan(caller.keyId, term)
    for (const source of [SOURCE, OTHER_SOURCE]) {
      const [banned] = await world.consume(caller, NOON + 4_999, 1, source)
      assert.deepEqual([banned?.outcome, banned?.shown.resetsAt], ['banned', NOON + 5_000])
    }
    assert.equal((await world.consume(caller, NOON + 5_000))[0]?.outcome, 'admitted')
    await world.earnBan(caller, NOON + MINUTE_MS + 5_000)
    assert.equal((await world.lastBan(caller))?.ordinal, 2, 'it counts in the row of each source')
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

const SOURCE = '192.0.2.7'
const OTHER_SOURCE = '2001:db8:1:2::/64'
const SOURCES = [SOURCE, OTHER_SOURCE] as const

/** With this policy, random histories contain every kind of ban. */
const MODEL_POLICY: BanPolicy = { after: 3, withinSeconds: 90, forSeconds: 40, maxSeconds: 150 }
/** Longer than all backward steps of one history together: a window that a restart drops as over must not come back. */
const RESTART_MS = 2_000

type Step =
  | { type: 'call'; key: number; source: number; times: number }
  | { type: 'wait' | 'waitForMidnight'; ms: number }
  | { type: 'setLimits'; account: number; limits: Limits }
  | { type: 'lift'; key: number; source: number }
  | { type: 'restart' }

/** Steps for four keys of two accounts, and two sources: calls, some of them parallel, restarts, new limits, and a clock that sometimes steps back. */
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      type: is('call'),
      key: fc.nat(3),
      source: fc.nat(1),
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ type: is('wait'), ms: fc.integer({ min: -20, max: 1_200 }) }) },
  { weight: 2, arbitrary: fc.record({ type: is('wait'), ms: fc.integer({ min: 1_000, max: 50_000 }) }) },
  { weight: 5, arbitrary: fc.record({ type: is('wait'), ms: fc.integer({ min: GRACE_MS - 10, max: GRACE_MS + 20 }) }) },
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
  { weight: 1, arbitrary: fc.record({ type: is('lift'), key: fc.nat(3), source: fc.nat(1) }) },
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
        const source = SOURCES[step.source] as string
        const decisions = await Promise.all(
          Array.from({ length: step.times }, () => world.limiter.consume(caller, () => source, now)),
        )
        for (const decision of decisions) assert.deepEqual(seen(decision), seen(model.consume(caller, source, now)))
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
        const source = SOURCES[step.source] as string
        const { keyId, bans } = await world.refresh(callers[step.key] as Caller)
        const ban = banOfSource(bans, source)
        if (ban && isInForce(ban, now)) await world.store.liftBan(ban.id, entryAt(now, 'ban.lift'))
        model.lift(keyId, source, now)
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
  /** For each key and source: the end of the ban, and the newest ban that was not earned in an exhausted day. */
  readonly #bans = new Map<string, { endsAt: number; last: ModelBan | undefined }>()
  /** For each key and source: the exhausted window, the time of the first refusal in it, and the times of the ignored ones. */
  #refusals = new Map<string, { resetsAt: number; firstAt: number; ignoredAt: number[] }>()

  constructor(policy: BanPolicy) {
    this.#policy = policy
  }

  consume(
    { keyId, accountId, limits }: Pick<Caller, 'keyId' | 'accountId' | 'limits'>,
    source: string,
    now: number,
  ): Decision {
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

    const banned = (endsAt: number): Decision => {
      const exhausted = [minute.used >= limits.perMinute && minute.resetsAt, day.used >= limits.perDay && day.resetsAt]
      const resetsAt = Math.max(endsAt, ...exhausted.map(Number))
      return { outcome: 'banned', windows, shown: { ...shown, remaining: 0, resetsAt }, decidedAt: now }
    }
    const key = `${keyId} ${source}`
    const banEndsAt = this.#bans.get(key)?.endsAt ?? 0
    if (now < banEndsAt) return banned(banEndsAt)
    if (admitted) {
      counted.push(now)
      return { outcome: 'admitted', windows, shown, decidedAt: now }
    }
    return this.#ignoresTooOften(keyId, key, shown.resetsAt, now)
      ? banned(this.#ban(key, shown, now))
      : { outcome: 'refused', windows, shown, decidedAt: now }
  }

  lift(keyId: bigint, source: string, now: number): void {
    const ban = this.#bans.get(`${keyId} ${source}`)
    if (!ban || now >= ban.endsAt) return
    if (ban.last?.endsAt === ban.endsAt) ban.last.endsAt = now
    ban.endsAt = 0
  }

  /** Keeps counts and bans. */
  forgetStrikes(): void {
    this.#refusals = new Map()
  }

  #ignoresTooOften(keyId: bigint, key: string, resetsAt: number, now: number): boolean {
    for (const [other, refusals] of this.#refusals) {
      if (other.startsWith(`${keyId} `) && refusals.resetsAt !== resetsAt) this.#refusals.delete(other)
    }
    const { firstAt, ignoredAt } = this.#refusals.get(key) ?? { firstAt: now, ignoredAt: [] as number[] }
    const isIgnored = now - firstAt >= 10 * SECOND_MS
    if (isIgnored) ignoredAt.push(now)
    this.#refusals.set(key, { resetsAt, firstAt, ignoredAt })
    const recent = ignoredAt.filter(time => now - time < this.#policy.withinSeconds * SECOND_MS)
    return isIgnored && recent.length >= Number(this.#policy.after)
  }

  #ban(key: string, { name, resetsAt }: Window, now: number): number {
    const { forSeconds, maxSeconds } = this.#policy
    const last = this.#bans.get(key)?.last
    const ordinal = last && now < last.endsAt + DAY_MS ? last.ordinal + 1 : 1
    let seconds = forSeconds
    for (let time = 1; time < ordinal; time += 1) seconds = Math.min(seconds * 2, maxSeconds)
    const isOfDay = name === 'day'
    const endsAt = isOfDay ? Math.min(now + seconds * SECOND_MS, resetsAt) : now + seconds * SECOND_MS
    this.#bans.set(key, { endsAt, last: isOfDay ? last : { endsAt, ordinal } })
    this.#refusals.delete(key)
    return endsAt
  }
}

interface ModelBan {
  endsAt: number
  ordinal: number
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

  /** The caller with its bans in the store, and the limits that the test has set. */
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

  /** The newest ban of the caller, of any source. */
  async lastBan(caller: Caller): Promise<Ban | undefined> {
    return (await this.refresh(caller)).bans[0]
  }

  /** Bans of as many other sources. */
  async createBans(caller: Caller, count: number, endsAt: number): Promise<void> {
    const term = { earnedIn: 'minute', startedAt: NOON, endsAt, ordinal: 1 } as const
    for (let index = 0; index < count; index += 1) {
      await this.store.createBan(caller.keyId, { source: `198.51.100.${index}`, ...term })
    }
  }

  /** Makes calls one by one, as the service does: each time with the caller's bans. */
  async consume(caller: Caller, now: number, times = 1, source = SOURCE): Promise<Decision[]> {
    const decisions: Decision[] = []
    for (let call = 0; call < times; call += 1) {
      decisions.push(await this.limiter.consume(await this.refresh(caller), () => source, now))
    }
    return decisions
  }

  /** Uses up the remaining calls, and ignores refusals once that counts. Returns that time. */
  async ignoreRefusals(caller: Caller, now: number, times: number): Promise<number> {
    while ((await this.consume(caller, now))[0]?.outcome === 'admitted');
    const later = now + GRACE_MS
    const decisions = await this.consume(caller, later, times)
    assert.ok(decisions.every(({ outcome }) => outcome === 'refused'))
    return later
  }

  /** Ignores refusals until the caller is banned. Returns that time. */
  async earnBan(caller: Caller, now: number): Promise<number> {
    const later = await this.ignoreRefusals(caller, now, AFTER - 1)
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
