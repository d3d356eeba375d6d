import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NEVER_OVERLOADED, Overload } from './overload.ts'

const LIMITS = { longWaitMs: 100, standingMs: 1_000, maxWaitMs: 50, quietMs: 250 }

test('long waits that last for a second are an overload; then only short waits are admitted', () => {
  const { overload, events } = open()
  for (let now = 0; now < 1_000; now += 10) assert.equal(overload.admits(300, now), true)
  assert.deepEqual(events, [])
  assert.deepEqual(
    [overload.admits(300, 1_000), overload.admits(51, 1_001), overload.admits(50, 1_002)],
    [false, false, true],
  )
  assert.deepEqual(events, ['began'])
})

test('an overload is over when the queue is empty, and not because refusals have just emptied it', () => {
  const { overload, events } = open()
  for (let now = 0; now <= 1_000; now += 10) if (!overload.admits(300, now)) overload.refused()
  overload.emptied(1_010)
  assert.equal(overload.admits(50, 1_200), true)
  assert.equal(overload.admits(51, 1_300), false)
  overload.refused()
  overload.emptied(1_549)
  assert.deepEqual([overload.isOn, events], [true, ['began']])
  overload.emptied(1_550)
  assert.deepEqual([overload.isOn, events], [false, ['began', 'ended, 2 refused']])
  assert.equal(overload.admits(90, 1_560), true)
})

test('an overload begins once, however long it lasts, and the next one counts its own refusals', () => {
  const { overload, events } = open()
  for (const start of [0, 10_000]) {
    for (let now = start; now <= start + 3_000; now += 10) if (!overload.admits(300, now)) overload.refused()
    overload.emptied(start + 5_000)
  }
  assert.deepEqual(events, ['began', 'ended, 201 refused', 'began', 'ended, 201 refused'])
})

test('a short wait, or a moment without any work, restarts the second', () => {
  for (const rest of [
    (overload: Overload) => overload.admits(100, 900),
    (overload: Overload) => overload.emptied(900),
  ]) {
    const { overload, events } = open()
    for (let now = 0; now < 900; now += 10) overload.admits(5_000, now)
    rest(overload)
    for (let now = 900; now < 1_890; now += 10) assert.equal(overload.admits(5_000, now), true)
    assert.deepEqual(events, [])
  }
})

test('a pause of the process is not an overload, however long it is', () => {
  const { overload, events } = open()
  for (const now of [0, 60_000, 60_001, 120_000]) assert.equal(overload.admits(60_000, now), true)
  assert.deepEqual(events, [])
})

test('work that must never be refused is not, however long it waits', () => {
  const events: string[] = []
  const overload = new Overload({ began: () => void events.push('began') }, NEVER_OVERLOADED)
  for (let now = 0; now < 10_000; now += 10) assert.equal(overload.admits(60_000, now), true)
  assert.deepEqual(events, [])
})

// Each piece of work takes a millisecond, and a refusal a fifth of one.
for (const [what, load, isOverload] of [
  ['work for nine tenths of the time', { everyMs: 1 / 0.9 }, false],
  ['the same, and 250 pieces at once every second', { everyMs: 2, burst: 250 }, false],
  ['500 pieces at once', { everyMs: 2, burst: 500, bursts: 1 }, false],
  ['three times as much as can be done', { everyMs: 1 / 3 }, true],
] as const) {
  test(`${what} ${isOverload ? 'is' : 'is not'} an overload`, t => {
    const { waits, refused, events } = simulate(load)
    assert.equal(events.includes('began'), isOverload)
    if (!isOverload) return assert.equal(refused, 0)
    // It takes a second of waiting to be noticed, once.
    const late = waits.slice(2_000)
    assert.ok(Math.max(...late) <= LIMITS.maxWaitMs)
    // The time that is not spent on refusals is spent on work.
    assert.ok(late.length > 3_000, `${late.length} pieces done`)
    t.diagnostic(`${waits.length} done, ${refused} refused, at first after ${Math.max(...waits)} ms`)
  })
}

/** Ten seconds, in virtual time. */
function simulate({ everyMs, burst = 0, bursts = 10 }: { everyMs: number; burst?: number; bursts?: number }) {
  const { overload, events } = open()
  const arrivals: number[] = []
  for (let at = 0; at < 10_000; at += everyMs) arrivals.push(at)
  for (let second = 0; second < bursts; second++) for (let one = 0; one < burst; one++) arrivals.push(second * 1_000)
  arrivals.sort((one, other) => one - other)
  const waits: number[] = []
  let refused = 0
  let now = 0
  for (const arrivedAt of arrivals) {
    if (arrivedAt >= now) {
      overload.emptied(arrivedAt)
      now = arrivedAt
    }
    if (overload.admits(now - arrivedAt, now)) {
      waits.push(now - arrivedAt)
      now += 1
    } else {
      refused += 1
      now += 0.2
    }
  }
  return { waits, refused, events }
}

function open() {
  const events: string[] = []
  const watch = {
    began: () => void events.push('began'),
    ended: (refused: number) => void events.push(`ended, ${refused} refused`),
  }
  return { overload: new Overload(watch, LIMITS), events }
}
