import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS } from '../../domain/time.ts'
import { spaceOf } from './disk.ts'
import { DiskWatch } from './disk-watch.ts'

const GIB = 1024 ** 3
const NOW = Date.UTC(2026, 10, 28)

/** A disk of 100 GiB that loses space each hour. */
function fill(gibPerDay: number, days: number, freeGib: number) {
  let freeBytes = freeGib * GIB
  const watch = new DiskWatch(() => ({ freeBytes, totalBytes: 100 * GIB }))
  const start = NOW - days * DAY_MS
  for (let at = start; at <= NOW; at += HOUR_MS) {
    freeBytes = (freeGib + (gibPerDay * (NOW - at)) / DAY_MS) * GIB
    watch.sample(at)
  }
  return watch.check(NOW)
}

test('it says for how many days the disk will last, and warns two weeks before its end', () => {
  assert.deepEqual(fill(2, 3, 41), {
    outcome: 'ok',
    message:
      'Of the disk with the store, 41.0 GiB of 100.0 GiB are free. At the pace of the last days, it will be full in 20 days.',
  })
  assert.match(fill(4, 3, 41).message, /full in 10 days\.$/)
  assert.equal(fill(4, 3, 41).outcome, 'warn')
  for (const freeGib of [41, 30]) assert.match(fill(40, 2, freeGib).message, /full in a day\.$/)
})

test('without a day of samples, without growth, or if it lasts for years, it gives no number', () => {
  for (const watch of [fill(2, 0.5, 41), fill(0, 3, 41), fill(-2, 3, 41), fill(0.01, 3, 41)]) {
    assert.deepEqual(watch, { outcome: 'ok', message: 'Of the disk with the store, 41.0 GiB of 100.0 GiB are free.' })
  }
})

test('a disk that is nearly full stays a failure, and says when it will be full', () => {
  const { outcome, message } = fill(0.01, 3, 0.05)
  assert.equal(outcome, 'fail')
  assert.match(message, /or writes will fail\. At the pace of the last days, it will be full in 5 days\.$/)
})

test('only the last week counts', () => {
  const free = [90, 60, 59, 58, 57, 56, 55, 54, 53, 52].map(gib => gib * GIB)
  let current = free[0] as number
  const watch = new DiskWatch(() => ({ freeBytes: current, totalBytes: 100 * GIB }))
  for (const [day, freeBytes] of free.entries()) {
    current = freeBytes
    watch.sample(NOW + day * DAY_MS)
  }
  assert.match(watch.check(NOW + 9 * DAY_MS).message, /full in 52 days/)
})

test('a clock that was set back forgets what is in its future, and a folder that is gone is a failure', () => {
  let freeBytes = 50 * GIB
  const watch = new DiskWatch(() => ({ freeBytes, totalBytes: 100 * GIB }))
  watch.sample(NOW + 30 * DAY_MS)
  freeBytes = 40 * GIB
  watch.sample(NOW)
  assert.equal(watch.check(NOW + HOUR_MS).message, 'Of the disk with the store, 40.0 GiB of 100.0 GiB are free.')
  freeBytes = 38 * GIB
  assert.match(watch.check(NOW + 2 * DAY_MS).message, /full in 38 days/)
  const gone = new DiskWatch(() => spaceOf(`${tmpdir()}/there/is/nothing`))
  assert.deepEqual(gone.check(NOW), {
    outcome: 'fail',
    message: 'The free space on the disk with the store is unknown: no such file or folder.',
  })
})
