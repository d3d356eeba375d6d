import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey } from './api-key.ts'
import { parseLabel } from './label.ts'
import { generateToken } from './operator.ts'
import { generateSession } from './session.ts'

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

test('a label does not bear a secret, or most of one: it is shown to everyone', () => {
  for (const text of [generateKey('production'), `old ${generateToken('staging')}`, generateSession()]) {
    assert.throws(() => parseLabel(text, 'A key name'), { kind: 'invalid', message: /must not hold a key/ })
  }
  assert.equal(parseLabel('petstore_live_ keys', 'A key name'), 'petstore_live_ keys')
})
