import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currentMoment, elapsedSince } from './elapsed-time.ts'

test('time passes by whichever clock went further, also if one stood still or was set back', () => {
  const { steady, wall } = currentMoment()
  for (const moment of [
    { steady: steady - 5_000, wall },
    { steady, wall: wall - 5_000 },
    { steady, wall: wall + 65_000 },
  ]) {
    assert.ok(elapsedSince(moment) >= 5_000, JSON.stringify(moment))
  }
})
