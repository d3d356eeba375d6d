import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Handover, OutageLedger } from './outage-ledger.ts'
import type { Limits } from './plan.ts'
import { type Count, type Counts, spend } from './rate-limiter.ts'
import { MINUTE_MS } from './time.ts'

const NOON = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const MIDNIGHT = Date.UTC(2027, 2, 2)
const FREE: Limits = { perMinute: 60, perDay: 1_000 }

function known(minuteUsed: number, dayUsed: number): Counts {
  return { minute: { used: minuteUsed, resetsAt: NOON + 30_000 }, day: { used: dayUsed, resetsAt: MIDNIGHT } }
}

/** What a question contains: for each window, the known calls and those handed over. */
function asked([minute, minuteAlone]: readonly [number, number], [day, dayAlone]: readonly [number, number]): Handover {
  return {
    minute: { known: minute, alone: minuteAlone, resetsAt: NOON + 30_000 },
    day: { known: day, alone: dayAlone, resetsAt: MIDNIGHT },
  }
}

function ledgerOf(counts: Counts): OutageLedger {
  const ledger = new OutageLedger()
  ledger.confirm(counts, NOON)
  ledger.during(1)
  return ledger
}

function remaining(ledger: OutageLedger, limits: Limits, instances: number, now = NOON): number[] {
  return ledger.windows(limits, instances, now).map(window => window.remaining)
}

test('the rest of each window is divided among the instances', () => {
  assert.deepEqual(remaining(ledgerOf({}), FREE, 3), [20, 333])
  assert.deepEqual(remaining(ledgerOf(known(30, 400)), FREE, 3), [10, 200])
  assert.deepEqual(remaining(ledgerOf(known(30, 400)), FREE, 1), [30, 600])
})

test('a window that is over counts as unused', () => {
  assert.deepEqual(remaining(ledgerOf(known(30, 400)), FREE, 3, NOON + 30_000), [20, 200])
})

test('if fewer calls are left than instances, each has one; if none are left, none', () => {
  assert.deepEqual(remaining(ledgerOf(known(58, 999)), FREE, 3), [1, 1])
  assert.deepEqual(remaining(ledgerOf(known(60, 1_000)), FREE, 3), [0, 0])
  assert.deepEqual(remaining(ledgerOf(known(60, 1_000)), { perMinute: 10, perDay: 10 }, 3), [0, 0])
  assert.deepEqual(remaining(ledgerOf({}), FREE, 1_000), [1, 1])
})

test('instances with the same counts together admit the calls that were left, or one each', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000 }),
      fc.integer({ min: 0, max: 2_000 }),
      fc.integer({ min: 1, max: 50 }),
      (perMinute, used, instances) => {
        const limits = { perMinute, perDay: 1_000_000_000 }
        let admitted = 0
        for (let instance = 0; instance < instances; instance += 1) {
          const ledger = ledgerOf(known(used, used))
          while (ledger.admit(limits, instances, NOON).outcome === 'admitted') admitted += 1
        }
        const left = Math.max(0, perMinute - used)
        assert.ok(admitted <= Math.max(left, left > 0 ? instances : 0), `${admitted} of ${left}`)
        assert.ok(admitted > left - instances, `${admitted} of ${left}`)
      },
    ),
  )
})

test('a share begins with the known counts, shows the account’s limits, and refuses beyond its part', () => {
  const ledger = ledgerOf(known(30, 400))
  const { windows, shown } = ledger.admit(FREE, 3, NOON)
  assert.deepEqual(
    windows.map(({ name, limit, remaining, resetsAt }) => [name, limit, remaining, resetsAt]),
    [
      ['minute', 60, 9, NOON + 30_000],
      ['day', 1_000, 199, MIDNIGHT],
    ],
  )
  assert.equal(shown.name, 'minute')
  const outcomes: string[] = []
  for (let call = 0; call < 11; call += 1) {
    const decision = ledger.admit(FREE, 3, NOON + call)
    outcomes.push(`${decision.outcome} ${decision.shown.remaining}`)
  }
  assert.deepEqual(outcomes.slice(7), ['admitted 1', 'admitted 0', 'refused 0', 'refused 0'])
  assert.deepEqual(remaining(ledger, FREE, 3), [0, 190])
})

test('a minute that begins without the others has a share of the whole limit, and the day continues', () => {
  const ledger = ledgerOf(known(60, 400))
  ledger.admit(FREE, 3, NOON)
  const { windows } = ledger.admit(FREE, 3, NOON + MINUTE_MS)
  assert.deepEqual(
    windows.map(({ remaining, resetsAt }) => [remaining, resetsAt]),
    [
      [19, NOON + 2 * MINUTE_MS],
      [199, MIDNIGHT],
    ],
  )
})

test('an answer during an outage makes a share smaller only if less is left than that', () => {
  const ledger = ledgerOf(known(30, 400))
  ledger.admit(FREE, 3, NOON)
  ledger.send()
  ledger.confirm(known(50, 420), NOON)
  assert.deepEqual(remaining(ledger, FREE, 3), [9, 199])
  ledger.confirm(known(55, 999), NOON)
  assert.deepEqual(remaining(ledger, FREE, 3), [5, 1])
})

test('the next outage divides what is left then', () => {
  const ledger = ledgerOf(known(30, 400))
  ledger.admit(FREE, 3, NOON)
  ledger.send()
  ledger.confirm(known(45, 700), NOON)
  ledger.during(undefined)
  ledger.during(2)
  assert.deepEqual(remaining(ledger, FREE, 3), [5, 100])
})

test('a share lasts for its whole outage', () => {
  const ledger = ledgerOf(known(30, 400))
  assert.equal(ledger.isSharing, false)
  ledger.admit(FREE, 3, NOON)
  ledger.during(1)
  assert.deepEqual([ledger.isSharing, remaining(ledger, FREE, 3)], [true, [9, 199]])
  ledger.during(2)
  assert.deepEqual([ledger.isSharing, remaining(ledger, FREE, 3)], [false, [9, 199]])
})

test('an answer about another window replaces what was known of the one before', () => {
  const ledger = ledgerOf(known(30, 400))
  const next = { minute: { used: 2, resetsAt: NOON + 50_000 }, day: { used: 402, resetsAt: MIDNIGHT } }
  ledger.confirm(next, NOON)
  assert.deepEqual(ledger.counts(NOON), next)
})

test('calls admitted alone are handed over once, whether an answer comes or not', () => {
  const ledger = ledgerOf(known(30, 400))
  for (let call = 0; call < 2; call += 1) ledger.admit(FREE, 3, NOON)
  assert.deepEqual([ledger.isHandedOver, ledger.counts(NOON)], [false, known(32, 402)])
  assert.deepEqual(ledger.send(), asked([30, 2], [400, 2]))
  assert.deepEqual(ledger.send(), asked([32, 0], [402, 0]), 'no answer has come')
  ledger.admit(FREE, 3, NOON)
  assert.deepEqual([ledger.isHandedOver, ledger.counts(NOON)], [false, known(33, 403)])
  assert.deepEqual(ledger.send(), asked([32, 1], [402, 1]))
  ledger.confirm(known(41, 412), NOON)
  assert.deepEqual([ledger.isHandedOver, ledger.counts(NOON)], [true, known(41, 412)])
  ledger.admit(FREE, 3, NOON)
  ledger.confirm(known(42, 413), NOON)
  assert.deepEqual(ledger.counts(NOON), known(43, 414), 'an answer does not include what was not handed over')
})

test('a window begun alone belongs to that of the others, once their answer has come', () => {
  const ledger = ledgerOf({})
  ledger.admit(FREE, 3, NOON + 1_000)
  ledger.send()
  ledger.admit(FREE, 3, NOON + 1_000)
  ledger.confirm(known(31, 401), NOON + 1_000)
  assert.deepEqual(ledger.counts(NOON + 1_000), known(32, 402))
  assert.deepEqual(ledger.send(), asked([31, 1], [401, 1]))
})

test('calls of a minute that is over do not affect the next one', () => {
  const ledger = ledgerOf(known(30, 400))
  ledger.admit(FREE, 3, NOON)
  ledger.admit(FREE, 3, NOON + MINUTE_MS)
  assert.deepEqual(ledger.send(), {
    minute: { known: 0, alone: 1, resetsAt: NOON + 2 * MINUTE_MS },
    day: { known: 400, alone: 2, resetsAt: MIDNIGHT },
  })
})

test('counts loaded late make a share smaller, never larger', () => {
  const ledger = ledgerOf({})
  ledger.admit(FREE, 3, NOON)
  ledger.learn(known(30, 400), NOON)
  const windows = ledger.windows(FREE, 3, NOON).map(({ remaining, resetsAt }) => [remaining, resetsAt])
  assert.deepEqual(windows, [
    [9, NOON + 30_000],
    [199, MIDNIGHT],
  ])
  ledger.learn(known(20, 300), NOON)
  assert.deepEqual(remaining(ledger, FREE, 3), [9, 199])
  assert.deepEqual(ledger.send(), asked([30, 1], [400, 1]), 'they belong to the window of the others')
})

test('counts loaded before the first call alone are its start', () => {
  const ledger = ledgerOf({})
  assert.deepEqual(ledger.send().minute, { known: 0, alone: 0, resetsAt: 0 })
  ledger.learn(known(30, 400), NOON)
  ledger.learn(known(31, 400), NOON)
  assert.deepEqual(remaining(ledger, FREE, 3), [9, 200])
})

test('counts saved for another window do not replace those that all instances share', () => {
  const ledger = ledgerOf(known(30, 400))
  ledger.learn({ minute: { used: 1, resetsAt: NOON + 45_000 } }, NOON)
  assert.deepEqual(ledger.counts(NOON), known(30, 400))
})

test('an address has no limit per day, and a share of its minute', () => {
  const limits = { perMinute: 600, perDay: Number.POSITIVE_INFINITY }
  const { outcome, windows } = ledgerOf({}).admit(limits, 3, NOON)
  assert.deepEqual([outcome, windows[0]?.remaining, windows[0]?.limit], ['admitted', 199, 600])
})

type Fate = 'answered' | 'counted, not answered' | 'lost'

test('in random histories, calls admitted alone are never counted twice, and all are counted unless a question was lost', () => {
  const instance = fc.integer({ min: 0, max: 2 })
  const fate = fc.constantFrom<Fate>('answered', 'counted, not answered', 'lost')
  const event = fc.oneof(
    fc.record({ kind: fc.constant('alone' as const), instance }),
    fc.record({ kind: fc.constant('call' as const), instance }),
    fc.record({ kind: fc.constant('send' as const), instance }),
    fc.record({ kind: fc.constant('arrive' as const), instance, fate }),
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 80 }), events => {
      const limits = { perMinute: 30, perDay: 1_000 }
      const instances = [1, 2, 3].map(() => ({ ledger: ledgerOf(known(0, 0)), inFlight: [] as Handover[] }))
      let together = known(0, 0)
      let admitted = 0
      let isLost = false
      // The questions of an instance arrive one after the other. As consume.lua adds up what it knows and hands over.
      const arrive = ({ ledger, inFlight }: (typeof instances)[0], fate: Fate) => {
        const question = inFlight.shift()
        if (!question) return
        const { minute, day } = question
        const used = (before: Count | undefined, asked: typeof minute) =>
          Math.max(before?.used ?? 0, asked.known) + asked.alone
        if (fate !== 'lost') together = known(used(together.minute, minute), used(together.day, day))
        if (fate === 'answered') ledger.confirm(together, NOON)
        isLost ||= fate === 'lost' && minute.alone > 0
      }
      const askEverything = (one: (typeof instances)[0]) => {
        one.inFlight.push(one.ledger.send())
        while (one.inFlight.length > 0) arrive(one, 'answered')
      }
      for (const event of events) {
        const one = instances[event.instance] as (typeof instances)[0]
        if (event.kind === 'alone') {
          if (one.ledger.admit(limits, instances.length, NOON).outcome === 'admitted') admitted += 1
        } else if (event.kind === 'send') {
          one.inFlight.push(one.ledger.send())
        } else if (event.kind === 'arrive') {
          arrive(one, event.fate)
        } else {
          askEverything(one)
          const spent = spend(together, limits, NOON)
          together = spent.counts as Required<Counts>
          if (spent.admitted) admitted += 1
          one.ledger.confirm(together, NOON)
        }
        assert.ok((together.minute?.used ?? 0) <= admitted)
      }
      for (const one of instances) askEverything(one)
      assert.ok((together.minute?.used ?? 0) <= admitted)
      if (!isLost) assert.equal(together.minute?.used ?? 0, admitted)
    }),
    { numRuns: 500 },
  )
})
