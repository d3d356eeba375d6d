import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatCsvRow } from './csv-rows.ts'

test('a value is in quotes if it would be read otherwise without them', () => {
  const values = ['', 'Rex', 'a,b', 'a;b', 'a"b', 'a\nb', 'a\rb', ' a', 'a\t', 'a b']
  const quoted = ['"a""b"', '"a\nb"', '"a\rb"', '" a"', '"a\t"', 'a b']
  assert.equal(formatCsvRow(values), ['', 'Rex', '"a,b"', 'a;b', ...quoted].join(','))
  assert.equal(formatCsvRow(values, ';'), ['', 'Rex', 'a,b', '"a;b"', ...quoted].join(';'))
})
