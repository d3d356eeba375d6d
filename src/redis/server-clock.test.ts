import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ServerClock } from './server-clock.ts'

/** How far the server's clock is ahead of the local one. */
const AHEAD = 1_800_000_000_000

test('the estimate is never ahead of the server’s clock, and behind it by no more than the fastest answer took', () => {
  const trip = fc.tuple(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 500 }))
  fc.assert(
    fc.property(fc.array(trip, { minLength: 1 }), trips => {
      const clock = new ServerClock()
      let now = 0
      for (const [there, back] of trips) {
        clock.note(AHEAD + now + there, now, now + there + back)
        now += there + back
        assert.ok(clock.at(now) <= AHEAD + now)
      }
      const quickest = Math.min(...trips.map(([, back]) => back))
      assert.equal(clock.at(now), AHEAD + now - quickest)
    }),
  )
})

test('a clock with whole milliseconds is not mistaken for one that was set back', () => {
  const clock = new ServerClock()
  clock.note(AHEAD, 0, 0)
  // 0.9 ms later it still shows the same time, and the answer is read late.
  clock.note(AHEAD, 0.9, 1_500)
  assert.equal(clock.at(1_500), AHEAD + 1_500)
})

test('after the server’s clock is set, the next answer corrects the estimate', () => {
  const clock = new ServerClock()
  assert.equal(clock.isKnown, false)
  clock.note(AHEAD, 0, 10)
  assert.equal(clock.isKnown, true)
  clock.note(AHEAD + 100 - 60_000, 100, 110)
  assert.equal(clock.at(110), AHEAD + 100 - 60_000)
  clock.note(AHEAD + 200, 200, 210)
  assert.equal(clock.at(210), AHEAD + 200)
})
