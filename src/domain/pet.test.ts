import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PET_NAME_PATTERN } from './pet.ts'

const pattern = new RegExp(PET_NAME_PATTERN, 'u')

test('a name has 1 to 255 code points, whatever they take in UTF-16', () => {
  for (const name of ['x', 'Rex', 'é'.repeat(255), '🐕'.repeat(255), '\u0301', ' Rex ']) {
    assert.ok(pattern.test(name), name)
  }
  for (const name of ['', 'x'.repeat(256), '🐕'.repeat(256)]) assert.ok(!pattern.test(name), name)
})

test('a name is not blank', () => {
  for (const name of [' ', '   ', '\u00a0', '\u3000\u2003', '\u2028', '\ufeff']) {
    assert.ok(!pattern.test(name), JSON.stringify(name))
  }
})

test('a name has no control character', () => {
  for (let code = 0; code < 0xa0; code += 1) {
    const isControl = code < 0x20 || code >= 0x7f
    assert.equal(pattern.test(`R${String.fromCodePoint(code)}x`), !isControl, code.toString(16))
  }
  for (const name of ['Rex\n', '\nRex', '\n']) assert.ok(!pattern.test(name), JSON.stringify(name))
})
