import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClockWatch, describeDoubt, isInDoubt, timeOfAge } from './clock.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.ts'

const NOW = Date.UTC(2027, 2, 1, 12)

test('a clock is in doubt if it is more than a day ahead of the confirmed time, and never if it is behind', () => {
  assert.equal(isInDoubt(NOW + DAY_MS, NOW), false)
  assert.equal(isInDoubt(NOW + DAY_MS + 1, NOW), true)
  assert.equal(isInDoubt(NOW - 400 * DAY_MS, NOW), false)
  assert.equal(isInDoubt(NOW, undefined), false)
  assert.deepEqual([timeOfAge(NOW + 2 * DAY_MS, NOW), timeOfAge(NOW + 1, NOW)], [NOW, NOW + 1])
})

test('a clock in doubt confirms itself after an hour in which it keeps pace, and each step begins the hour again', () => {
  const { at } = start(NOW - 30 * DAY_MS)
  for (let minute = 0; minute < 60; minute++) assert.equal(at(minute), false, `minute ${minute}`)
  assert.equal(at(60), true)
  for (const step of [2 * MINUTE_MS, -2 * MINUTE_MS, 400 * DAY_MS]) {
    const other = start(NOW - 30 * DAY_MS)
    for (let minute = 0; minute < 50; minute++) other.at(minute)
    for (let minute = 50; minute < 110; minute++) assert.equal(other.at(minute, step), false, `step ${step}`)
    assert.equal(other.at(110, step), true)
  }
})

test('corrections of a second each half hour, as time services make them, do not begin the hour again', () => {
  const { at } = start(NOW - 30 * DAY_MS)
  for (let minute = 0; minute < 60; minute++) at(minute, Math.floor(minute / 30) * 1_000)
  assert.equal(at(60, 2_000), true)
})

test('a clock that differs from that of the database does not confirm itself', () => {
  for (const [apart, expected] of [
    [2 * MINUTE_MS, false],
    [-2 * MINUTE_MS, false],
    [30_000, true],
  ] as const) {
    const { at } = start(NOW - 30 * DAY_MS, apart)
    assert.equal(at(0), false)
    assert.equal(at(60), expected, `${apart} ms apart`)
    const near = start(NOW - 2 * HOUR_MS, apart)
    near.at(0)
    assert.equal(near.at(1), expected, 'nor one that is not in doubt')
  }
})

test('a clock that is not in doubt is recorded once an hour, at the second check', () => {
  const { at } = start(NOW - 2 * HOUR_MS)
  assert.deepEqual([at(0), at(1)], [false, true])
  const recent = start(NOW)
  assert.deepEqual([recent.at(0), recent.at(59), recent.at(60)], [false, false, true])
})

test('a clock that has kept pace for hours is recorded once an hour, too', () => {
  const { at } = start(NOW)
  assert.deepEqual([at(0), at(60), at(61), at(119), at(120)], [false, true, false, false, true])
})

test('the clock of a new store is recorded at the first check, unless it differs from that of the database', () => {
  assert.equal(start(undefined).at(0), true)
  assert.equal(start(undefined, 30_000).at(0), true)
  const apart = start(undefined, 2 * MINUTE_MS)
  assert.deepEqual([apart.at(0), apart.at(60)], [false, false])
})

test('a clock that was set back is recorded after an hour', () => {
  const { at } = start(NOW + 400 * DAY_MS)
  assert.deepEqual([at(0), at(59), at(60)], [false, false, true])
})

test('a clock that steps by less than a day at each check is never recorded', () => {
  const { at } = start(NOW)
  for (let minute = 0; minute < 5; minute++) assert.equal(at(minute, minute * 23 * HOUR_MS), false)
})

test('the doubt is described with both times and the remedy', () => {
  assert.equal(
    describeDoubt(NOW + 400 * DAY_MS, NOW, './petstore'),
    'The clock shows 2028-04-04T12:00:00Z, 400 days after the last time at which it was known to be right (2027-03-01T12:00:00Z). No data is deleted for its age until the clock has run steadily for an hour, or an operator confirms it with ./petstore confirm-clock.',
  )
})

/** A clock that starts at NOW; `at` checks it after some minutes, with the clock set forward or back by `step`, and records it if confirmed. */
function start(recordedAt: number | undefined, serverApart?: number) {
  const watch = new ClockWatch()
  let confirmedAt = recordedAt
  const at = (minute: number, step = 0) => {
    const wall = NOW + minute * MINUTE_MS + step
    const serverTime = serverApart === undefined ? undefined : wall + serverApart
    const isConfirmed = watch.confirms({ wall, steady: 5_000 + minute * MINUTE_MS }, { confirmedAt, serverTime })
    if (isConfirmed) confirmedAt = wall
    return isConfirmed
  }
  return { at }
}
