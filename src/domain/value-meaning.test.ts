import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseWholeNumber } from './value-meaning.ts'

test('a whole number is read as spreadsheets write it, but not one that may be a thousand times as large', () => {
  for (const [text, number] of [
    ['7', 7n],
    ['7.0', 7n],
    ['-7,00', -7n],
    ['7.0000', 7n],
    ['9223372036854775807.0', 9223372036854775807n],
  ] as const) {
    assert.equal(parseWholeNumber(text), number, text)
  }
  for (const text of ['', '1.000', '-1,000', '7.5', '7.', '.0', '07', '7 ', '1e3', '9223372036854775808.0']) {
    assert.equal(parseWholeNumber(text), undefined, text)
  }
})
