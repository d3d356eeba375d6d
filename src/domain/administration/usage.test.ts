import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_HOURS, dayOf, daysFrom, hourOf } from '../usage.ts'
import { DEFAULT_USAGE_DAYS, DEFAULT_USAGE_HOURS, MAX_USAGE_HOURS, parseGroups, parseUsageRange } from './usage.ts'

const NOW = Date.UTC(2027, 2, 1, 12, 30)
const [TODAY, HOUR] = [dayOf(NOW), hourOf(NOW)]

test('usage is read by days, up to today, unless hours are wanted', () => {
  const rangeOf = (time: Parameters<typeof parseUsageRange>[0]) => parseUsageRange(time, ['account'], NOW)
  assert.deepEqual(rangeOf({}), daysFrom(TODAY - DEFAULT_USAGE_DAYS + 1, TODAY))
  assert.deepEqual(rangeOf({ days: 1 }), daysFrom(TODAY, TODAY))
  assert.deepEqual(rangeOf({ days: 2, to: '2027-02-10' }), daysFrom(TODAY - 20, TODAY - 19))
  assert.deepEqual(rangeOf({ from: '2027-03-01' }), daysFrom(TODAY, TODAY))
  for (const day of ['2026-02-30', '2027-2-1', '27-02-01', 'today', '']) {
    assert.throws(() => rangeOf({ from: day }), { kind: 'invalid', member: 'from', message: /UTC day/ }, day)
  }
  assert.throws(() => rangeOf({ from: '2027-03-02' }), { kind: 'invalid', message: /later than today/ })
})

test('usage by hour is that of all hours of the given days, or of the last hours', () => {
  const rangeOf = (time: Parameters<typeof parseUsageRange>[0]) => parseUsageRange(time, ['hour'], NOW)
  const hours = (first: number, last: number) => ({ unit: 'hour', first, last })
  assert.deepEqual(rangeOf({}), hours(HOUR - DEFAULT_USAGE_HOURS + 1, HOUR))
  assert.deepEqual(rangeOf({ days: 2 }), hours((TODAY - 1) * DAY_HOURS, HOUR))
  assert.deepEqual(rangeOf({ hours: MAX_USAGE_HOURS }), hours(HOUR - MAX_USAGE_HOURS + 1, HOUR))
  const yesterday = { from: '2027-02-28', to: '2027-02-28' }
  assert.deepEqual(rangeOf(yesterday), hours((TODAY - 1) * DAY_HOURS, TODAY * DAY_HOURS - 1))
  assert.deepEqual(rangeOf({ ...yesterday, hours: 1 }), hours(TODAY * DAY_HOURS - 1, TODAY * DAY_HOURS - 1))
})

test('usage is grouped by what is named, each once, in this order', () => {
  assert.deepEqual(parseGroups('status,day,status'), ['status', 'day'])
  for (const text of ['', 'week', 'day,week', 'day,', 'Day']) {
    assert.throws(() => parseGroups(text), { kind: 'invalid', member: 'by' }, text)
  }
})
