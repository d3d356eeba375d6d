import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type IdsReading, SettledIds } from './settled-ids.ts'

/** What the database returns at a reading. */
function reading(lastDrawn: bigint, transaction: string, is_settled: boolean | null, settled: bigint): IdsReading {
  return { last_drawn: lastDrawn, transaction, is_settled, settled }
}

test('nothing is settled before a second reading', () => {
  const ids = new SettledIds()
  ids.learn(reading(7n, '100', null, 7n))
  assert.equal(ids.highest, 0n)
  assert.deepEqual(ids.parameters, [7n, '100'])
})

test('ids are settled only once all transactions before the earlier reading have ended; until then, that reading is kept', () => {
  const ids = new SettledIds()
  ids.learn(reading(7n, '100', null, 0n))
  // The transaction that drew 6 has not ended.
  ids.learn(reading(9n, '105', false, 7n))
  assert.equal(ids.highest, 0n)
  assert.deepEqual(ids.parameters, [7n, '100'])
  ids.learn(reading(12n, '110', true, 7n))
  assert.equal(ids.highest, 7n)
  assert.deepEqual(ids.parameters, [12n, '110'])
})

test('the highest settled id stays if the highest animals are deleted', () => {
  const ids = new SettledIds()
  ids.learn(reading(7n, '100', null, 0n))
  ids.learn(reading(7n, '101', true, 7n))
  ids.learn(reading(7n, '102', true, 5n))
  assert.equal(ids.highest, 7n)
})
