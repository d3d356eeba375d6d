import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAccountName } from './account.ts'
import { UserError } from './errors.ts'

test('an account name has 1 to 100 code points, without the white space around it', () => {
  for (const name of ['a', 'Acme', 'Zoë & Søn', '动物园', '7 seas', '🐕'.repeat(100)]) {
    assert.equal(parseAccountName(name), name)
  }
  assert.equal(parseAccountName('  Acme \n'), 'Acme')
  for (const text of ['', '   ', '🐕'.repeat(101), 'a'.repeat(101), 'a\ud800']) {
    assert.throws(() => parseAccountName(text), UserError, JSON.stringify(text))
  }
})

test('an account name has no control characters', () => {
  for (const text of ['a\tb', 'a\nb', 'a\0b', 'a\x7fb', 'a\x85b', '\u001b[31mred']) {
    assert.throws(() => parseAccountName(text), UserError, JSON.stringify(text))
  }
})

test('an account name cannot be read as an id', () => {
  for (const text of ['1', '007', ' 42 ', '-1', '9'.repeat(40)])
    assert.throws(() => parseAccountName(text), UserError, text)
})
