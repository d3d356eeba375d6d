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
      { name: 'UserError', kind: 'invalid', message: /^A key name must have 1 to 100/ },
      JSON.stringify(text),
    )
  }
})

test('all of a label is visible: no two look the same and differ in invisible characters or normal form', () => {
  for (const code of [
    0x7f, 0x9b, 0xad, 0x61c, 0x200b, 0x200d, 0x200e, 0x202e, 0x2028, 0x2060, 0x2066, 0x3164, 0xfeff, 0xffa0,
  ]) {
    const text = String.fromCodePoint(code)
    for (const label of [text, `Ac${text}me`]) {
      assert.throws(() => parseLabel(label, 'A key name'), { kind: 'invalid' }, code.toString(16))
    }
  }
  for (const blank of ['\u2800', '\u00a0\u2800', '\u3000']) {
    assert.throws(() => parseLabel(blank, 'A key name'), { kind: 'invalid' }, blank)
  }
  assert.equal(parseLabel('Zoe\u0308', 'A key name'), 'Zo\u00eb')
  assert.equal(parseLabel('👩‍🚀 ❤️', 'A key name'), '👩‍🚀 ❤️')
  assert.throws(() => parseLabel('\u0958'.repeat(60), 'A key name'), { kind: 'invalid' }, 'its normal form is longer')
})

test('a label may have joiners only between the letters of scripts that use them', () => {
  const words = {
    Persian: 'می\u200cخواهم کتاب\u200cهای من',
    Hindi: 'क्\u200dष क्\u200cष',
    Bengali: 'র\u200d্যাম',
    Sinhala: 'ශ්\u200dරී ලංකා',
    Malayalam: 'അവന്\u200d',
  }
  for (const [language, word] of Object.entries(words)) assert.equal(parseLabel(word, 'A key name'), word, language)
  for (const label of [
    '\u200cم',
    'م\u200c',
    'م\u200c\u200cم',
    'م \u200c م',
    'ក\u200da',
    'Ac\u200cme',
    '\u200c',
    '\u200d',
  ]) {
    assert.throws(() => parseLabel(label, 'A key name'), { kind: 'invalid' }, JSON.stringify(label))
  }
})

test('a label does not contain a secret, or most of one, as all operators see it', () => {
  for (const text of [generateKey('production'), `old ${generateToken('staging')}`, generateSession()]) {
    assert.throws(() => parseLabel(text, 'A key name'), { kind: 'invalid', message: /must not contain a key/ })
  }
  assert.equal(parseLabel('petstore_live_ keys', 'A key name'), 'petstore_live_ keys')
})
