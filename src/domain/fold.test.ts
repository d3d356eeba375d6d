import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fold, nameKeyOf } from './fold.ts'
import { SAME_IN_A_SEARCH } from './store-contract/as-typed.contract.ts'

test('names of accounts are compared regardless of case and normal form, but not of accents', () => {
  for (const name of ['Café Ökotier', 'CAFÉ ÖKOTIER', 'cafe\u0301 o\u0308kotier'])
    assert.equal(nameKeyOf(name), 'CAFÉ ÖKOTIER')
  assert.notEqual(nameKeyOf('Cafe'), nameKeyOf('Café'))
  assert.equal(nameKeyOf('Straße'), nameKeyOf('STRASSE'))
})

test('a search ignores case, normal form and accents', () => {
  for (const [text, folded] of [
    ['Rex 7', 'REX 7'],
    ['Émile', 'EMILE'],
    ['e\u0301mile', 'EMILE'],
    ['Łukasz Ørsted', 'LUKASZ ORSTED'],
    ['Œuvre æon', 'OEUVRE AEON'],
    ['Straße', 'STRASSE'],
    ['Ёлка', 'ЕЛКА'],
    ['Άννα', 'ΑΝΝΑ'],
    ['ｆｕｌｌ', 'FULL'],
    ['İstanbul ılık', 'ISTANBUL ILIK'],
    ['Việt', 'VIET'],
    ['हिन्दी', 'हिन्दी'],
    ['がギ', 'がギ'],
    ['', ''],
  ] as const) {
    assert.equal(fold(text), folded)
    assert.equal(fold(folded), folded)
  }
})

test('a search ignores what is invisible or typed in several ways', () => {
  for (const [one, other] of SAME_IN_A_SEARCH) assert.equal(fold(one), fold(other), `${one} and ${other}`)
  for (const character of [
    '`',
    '\u00b4',
    '\u02b9',
    '\u02bf',
    '\u05f3',
    '\u2018',
    '\u2019',
    '\u201b',
    '\u2032',
    '\u203a',
    '\ua78c',
    '\uff40',
  ])
    assert.equal(fold(`a${character}b`), "A'B", character)
  for (const character of ['\u00ab', '\u02dd', '\u05f4', '\u201d', '\u201e', '\u2033', '\u301d', '\uff02', '\u{1f676}'])
    assert.equal(fold(`a${character}b`), 'A"B', character)
  for (const character of ['\u058a', '\u05be', '\u2010', '\u2011', '\u2013', '\u2014', '\u2212', '\ufe58', '\uff0d'])
    assert.equal(fold(`a${character}b`), 'A-B', character)
  for (const character of [
    '\u00ad',
    '\u034f',
    '\u200b',
    '\u200d',
    '\u2066',
    '\u3164',
    '\ufe0f',
    '\ufeff',
    '\u{e0041}',
    '\u{e01ef}',
  ])
    assert.equal(fold(`a${character}b`), 'AB', character)
})

test('a search tells different letters and signs apart', () => {
  for (const [one, other] of [
    ['\u0623\u062d\u0645\u062f', '\u0627\u062d\u0645\u062f'],
    ['\u0622', '\u0627'],
    ['\u0627\u0653', '\u0627'],
    ["'", '"'],
    ['\u30fc', '-'],
    ['\u3042', '\u30a2'],
    ['\u00de', 'Th'],
    ['\u0928\u093c', '\u0928'],
    ['_', '-'],
    ['.', ','],
  ] as const) {
    assert.notEqual(fold(one), fold(other), `${one} and ${other}`)
  }
})

test('a folded text stays as it is when it is folded again', () => {
  const between = [
    ['', ''],
    ['a', 'e'],
    ['\u304b', '\u3099'],
    ['\u0627', '\u0654'],
  ] as const
  for (let point = 0; point <= 0x10ffff; point += 1) {
    const character = String.fromCodePoint(point)
    if (!/[\p{Assigned}\p{Default_Ignorable_Code_Point}]/u.test(character) || /\p{Cs}|\p{Co}/u.test(character)) continue
    // Two thirds of all characters, and nothing is ever folded in them.
    if (/\p{Unified_Ideograph}/u.test(character) && fold(character) === character) continue
    for (const [before, after] of between) {
      const folded = fold(before + character + after)
      if (fold(folded) !== folded) assert.fail(`${point.toString(16)} between "${before}" and "${after}"`)
    }
  }
})
