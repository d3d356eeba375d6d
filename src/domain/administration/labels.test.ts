import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkExpiry, parseLabel } from './labels.ts'

test('a label has 1 to 100 code points, without the white space around it', () => {
  for (const label of ['a', '42', 'Zoë & Søn', '🐕'.repeat(100)]) assert.equal(parseLabel(label, 'A key name'), label)
  assert.equal(parseLabel('  laptop \n', 'A key name'), 'laptop')
  for (const text of ['', '   ', '🐕'.repeat(101), 'a\tb', 'a\0b', 'a\u0085b', 'a\ud800']) {
    assert.throws(
      () => parseLabel(text, 'A key name'),
      { name: 'Mistake', kind: 'invalid', message: /^A key name has 1 to 100/ },
      JSON.stringify(text),
    )
  }
})

test('what is to expire must do so in the future', () => {
  for (const expiresAt of [undefined, 1_001, Number.MAX_SAFE_INTEGER]) checkExpiry(expiresAt, 1_000, 'A key')
  for (const expiresAt of [1_000, 999, -1]) {
    assert.throws(() => checkExpiry(expiresAt, 1_000, 'A key'), { kind: 'invalid', message: /^A key must expire/ })
  }
})
