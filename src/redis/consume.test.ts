import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseReply } from './consume.ts'

test('a decision is parsed with its counts, its time and the end of a ban', () => {
  assert.deepEqual(parseReply(['admitted', 5, 7, 1, 60_007, 2, 86_400_000, 0]), {
    outcome: 'admitted',
    clock: 5,
    decidedAt: 7,
    counts: { minute: { used: 1, resetsAt: 60_007 }, day: { used: 2, resetsAt: 86_400_000 } },
    bannedUntil: 0,
  })
  assert.deepEqual(parseReply(['banned', 5, 7, 0, 60_007, 0, 86_400_000, 900_003]), {
    outcome: 'banned',
    clock: 5,
    decidedAt: 7,
    counts: {},
    bannedUntil: 900_003,
  })
  assert.deepEqual(parseReply(['refused', 5, 7, 9, 60_007, 0, 0, 0]).counts, { minute: { used: 9, resetsAt: 60_007 } })
  assert.equal(parseReply(['late', 5, 0, 0, 0, 0, 0, 0]).clock, 5)
})

test('any other reply is rejected', () => {
  for (const reply of [
    undefined,
    null,
    'OK',
    0,
    [],
    ['admitted'],
    ['admitted', 5, 7, 1, 60_007],
    ['admitted', 5, 7, 1, 60_007, 2, 86_400_000],
    ['admitted', 5, 7, 1, 60_007, 2, 86_400_000, 0, 1],
    ['admitted', 5, 7, 1, 60_007, 2, null, 0],
    ['admitted', 5, 7, 1, 60_007, 2, '86400000', 0],
    ['admitted', 5, 7, 1.5, 60_007, 2, 86_400_000, 0],
    ['refused by nobody', 5, 7, 1, 60_007, 2, 86_400_000, 0],
    ['late'],
    ['missing', 5],
    new Error('OOM'),
  ]) {
    assert.throws(() => parseReply(reply), TypeError, JSON.stringify(reply))
  }
})
