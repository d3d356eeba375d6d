import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allowedRemovals, DEFAULT_SOURCE, isLate, nextExpectedAt, parseMaxRemovals, parseSourceName } from './source.ts'
import { HOUR_MS } from './time.ts'

test('a tenth of the animals may be removed by default, or two if that is more, but never all of them', () => {
  for (const [animals, allowed] of [
    [0, 0],
    [1, 0],
    [2, 1],
    [3, 2],
    [29, 2],
    [30, 3],
    [1_009, 100],
  ] as const) {
    assert.equal(allowedRemovals(undefined, animals), allowed, String(animals))
  }
})

test('a given number or share of removals is exact, and a share is rounded down', () => {
  const given = [
    ['0', 9, 0],
    ['7', 3, 7],
    ['10%', 19, 1],
    ['100%', 3, 3],
  ] as const
  for (const [text, animals, allowed] of given) assert.equal(allowedRemovals(parseMaxRemovals(text), animals), allowed)
  for (const text of ['', '-1', '1.5', '101%', '999%', '%', '1 %', '1234567890']) {
    assert.throws(() => parseMaxRemovals(text), { kind: 'invalid', member: 'maxRemovals' }, text)
  }
})

test('the name of a source has up to 64 characters that need no encoding in an address', () => {
  for (const name of ['a', 'Hill.North_2-b', 'x'.repeat(64)]) assert.equal(parseSourceName(name), name)
  for (const name of ['', 'x'.repeat(65), '-a', '.', 'a b', 'a/b', 'ä', 'a\n']) {
    assert.throws(() => parseSourceName(name), { kind: 'invalid', member: 'name' }, JSON.stringify(name))
  }
})

test('a file is expected after the median of the last pauses without those of trials, and missing after twice of it', () => {
  const source = { ...DEFAULT_SOURCE, id: 1n, name: 'hill', createdAt: 0, lastRun: undefined }
  const after = (...hours: number[]) => ({ ...source, syncedAt: hours.map(hour => hour * HOUR_MS).toReversed() })
  for (const unknown of [after(), after(5), after(5, 5.1, 5.9)]) {
    assert.deepEqual([nextExpectedAt(unknown), isLate(unknown, 1_000 * HOUR_MS)], [undefined, false])
  }
  const learned = after(0, 100, 102, 102.5, 103, 106)
  assert.equal(nextExpectedAt(learned), 109 * HOUR_MS, 'of 100, 2 and 3 hours')
  assert.deepEqual([isLate(learned, 112 * HOUR_MS), isLate(learned, 112 * HOUR_MS + 1)], [false, true])
  const set = { ...after(), createdAt: 5, pauseSeconds: 60 }
  assert.equal(nextExpectedAt(set), 60_005)
  assert.deepEqual([isLate(set, 120_005), isLate(set, 120_006)], [false, true])
})
