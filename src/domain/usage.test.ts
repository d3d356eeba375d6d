import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayOf, formatDay } from './usage.ts'

test('a day begins and ends at midnight UTC', () => {
  const midnight = Date.UTC(2027, 2, 1)
  assert.equal(dayOf(0), 0)
  assert.equal(dayOf(midnight), dayOf(midnight - 1) + 1)
  assert.equal(dayOf(midnight + 86_400_000 - 1), dayOf(midnight))
})

test('a day is written as a date', () => {
  for (const date of ['1970-01-01', '2027-03-01', '2028-02-29', '2027-12-31']) {
    assert.equal(formatDay(dayOf(Date.parse(`${date}T23:59:59.999Z`))), date)
  }
})
