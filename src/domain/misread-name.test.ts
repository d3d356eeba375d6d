import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { explainMisread, mayBeMisread } from './misread-name.ts'

const decode = (bytes: Uint8Array, encoding = 'windows-1252') => new TextDecoder(encoding).decode(bytes)
const misread = (name: string, encoding?: string) => decode(Buffer.from(name), encoding)

test('a stored name that was read in a wrong encoding, once or twice, is recognised', () => {
  const cases: [given: string, stored: string][] = [
    ['ZoÃ«', 'Zoë'],
    ['Oâ€™Malley', 'O’Malley'],
    ['BjÃ¶rn "der BÃ¤r"', 'Björn "der Bär"'],
    ['Zo√´', 'Zoë'],
    ['ĹšnieĹĽka', 'Śnieżka'],
    ['ÐœÑƒÑ€ÐºÐ°', 'Мурка'],
    ['РњСѓСЂРєР°', 'Мурка'],
    ['ðŸ\u0090¶', '🐶'],
    // Some programs write a mark for a byte that the encoding leaves free, or remove a blank at the end.
    ['ðŸ\ufffd¶', '🐶'],
    ['Ã?na', 'Ána'],
    ['Rex ????', 'Rex 🐶'],
    ['MiÃ', 'Mià'],
    [misread(misread('Zoë')), 'Zoë'],
    [misread(misread('さくら')), 'さくら'],
    [misread(misread('Zoë', 'macintosh'), 'macintosh'), 'Zoë'],
  ]
  for (const [given, stored] of cases) {
    const reason = explainMisread(given, stored) ?? ''
    assert.ok(reason.startsWith(`name looks like ${JSON.stringify(stored)} read in a wrong encoding.`), given)
  }
})

test('a stored name that lost letters is recognised', () => {
  const cases: [given: string, stored: string][] = [
    ['?nie?ka', 'Śnieżka'],
    ['???', 'さくら'],
    ['Zo\ufffd', 'Zoë'],
    ['Rex ?', 'Rex 🐶'],
    ['Rex ??', 'Rex 🐶'],
    ['Who? Zo?', 'Who? Zoë'],
    ['Zoë ?', 'Zoë ż'],
  ]
  for (const [given, stored] of cases) {
    const reason = explainMisread(given, stored) ?? ''
    assert.ok(reason.startsWith(`name looks like ${JSON.stringify(stored)} with letters lost.`), given)
  }
})

test('a stored name that a spreadsheet took for a number or a date is recognised', () => {
  const cases: [given: string, stored: string][] = [
    ['12', '0012'],
    ['7', '7.0'],
    ['100000', '1e5'],
    ['1.5', '1,5'],
    ['0.5', '50%'],
    ['5', '5 €'],
    ['-5', '(5)'],
    ['100000', '100.000'],
    ['1234.5', '1,234.5'],
    ['1.23456789012346E+019', '12345678901234567890'],
    ['2026-01-02', '1/2'],
    ['2026-05-05', 'May 5'],
    ['01.01.26', '1 Jan'],
    ['2024-02-01', '01.02.2024'],
  ]
  for (const [given, stored] of cases) {
    const reason = explainMisread(given, stored) ?? ''
    assert.ok(reason.startsWith(`name looks like ${JSON.stringify(stored)}, which a spreadsheet took`), given)
    assert.ok(mayBeMisread(given), given)
  }
})

test('a stored name with characters that were written as codes is recognised', () => {
  for (const [given, stored] of [
    ['_x0020_Rex_x0020_', ' Rex '],
    ['_x00A0_x', '\u00a0x'],
  ] as const) {
    assert.match(explainMisread(given, stored) ?? '', /with characters written as codes/)
    assert.ok(mayBeMisread(given))
  }
})

test('a stored name with the guard against formulas is recognised', () => {
  for (const [given, stored] of [
    ["'=Rex", '=Rex'],
    ["Bo, '-x", 'Bo, -x'],
    ["Rex;'", 'Rex;'],
  ] as const) {
    assert.match(explainMisread(given, stored) ?? '', /with the apostrophe of an export for spreadsheets/)
    assert.ok(mayBeMisread(given))
  }
})

test('a real correction is not taken for damage', () => {
  const cases: [given: string, stored: string][] = [
    ['Zoë', 'Zoë'],
    ['Zoë', 'ZoÃ«'],
    ['Zoë', 'Zo?'],
    ['Zoé', 'Zoë'],
    ['Zoe', 'Zoë'],
    ['Zoë?', 'Zoë'],
    ['Rex?', 'Rexy'],
    ['?', 'R'],
    ['ZoÃ«', 'Chloë'],
    ['さくら', 'サクラ'],
    ['Noël', 'Noëlle'],
    ['Ñandú', 'Nandú'],
    ['13', '12'],
    ['12', 'Rex 12'],
    ['7', 'Rex'],
    ['2026-05-05', 'Rex'],
    ['2026-05-06', '2026-05-05'],
    ['1E5', 'E5'],
    ['_x0041_', 'B'],
    ["'Rex", 'Rex'],
    ["O'Neil", 'ONeil'],
    ['=Rex', "'=Rex"],
  ]
  for (const [given, stored] of cases) assert.equal(explainMisread(given, stored), undefined, given)
})

test('every name beyond ASCII that was misread is recognised', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter(text => /[^\0-\x7f]/.test(text))
  const encoding = fc.constantFrom('windows-1252', 'windows-1250', 'windows-1251', 'macintosh')
  fc.assert(
    fc.property(name, encoding, (stored, page) => {
      assert.ok(explainMisread(misread(stored, page), stored))
      assert.ok(explainMisread(misread(misread(stored, page), page), stored))
      assert.ok(explainMisread(stored.replace(/[^\0-\x7f]/gu, '?'), stored))
    }),
  )
})
