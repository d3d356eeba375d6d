import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnsOf } from '../../src/cli/output/columns.ts'
import { formatTable } from '../../src/cli/output/table.ts'

test('the width of a character is its width on a terminal', () => {
  const widths: readonly (readonly [text: string, columns: number])[] = [
    ['Zoë', 3],
    ['Zoe\u0308', 3],
    ['日本', 4],
    ['たま', 4],
    ['タマ', 4],
    ['ﾀﾏ', 2],
    ['한국', 4],
    ['한'.normalize('NFD'), 2],
    ['ＡＢ', 4],
    ['、。', 4],
    ['🐉', 2],
    ['a\u200bb', 2],
    ['Αριστοφάνης', 11],
    ['Котофей', 7],
  ]
  for (const [text, columns] of widths) assert.equal(columnsOf(text), columns, text)
})

test('columns line up, whatever they contain', () => {
  const lines = formatTable(
    ['NAME', 'N'],
    [
      ['Zoë 日本', 'x'],
      ['한국 🐉', 'x'],
      ['plain', 'x'],
    ],
  ).split('\n')
  assert.deepEqual(lines, ['NAME      N', 'Zoë 日本  x', '한국 🐉   x', 'plain     x'])
})

test('a cell that fits is printed unchanged, spaces included', () => {
  assert.equal(formatTable(['NAME', 'N'], [[' a  b', 'x']]), 'NAME   N\n a  b  x')
})

test('a large number is printed in groups of three digits', () => {
  const numbers = [0, 12, 999, 1_000, 12_345, 9_007_199_254_740_991, -123, -123_456]
  const cells = formatTable(
    ['N'],
    numbers.map(number => [number]),
  ).split('\n')
  assert.deepEqual(
    cells.slice(1).map(cell => cell.trim()),
    numbers.map(number => number.toLocaleString('en')),
  )
})

test('a table that is too wide is wrapped between words, each cell under itself', () => {
  const rows = [
    [1, 'short', 'status: available, then sold, then pending'],
    [2, '-', 'nothing'],
  ]
  assert.deepEqual(formatTable(['ID', 'WHO', 'DETAILS'], rows, 32).split('\n'), [
    'ID  WHO    DETAILS',
    ' 1  short  status: available,',
    '           then sold, then',
    '           pending',
    ' 2  -      nothing',
  ])
  assert.equal(formatTable(['ID', 'WHO', 'DETAILS'], rows).split('\n').length, 3, 'no width, no wrapping')
})

test('a word that is longer than its column is broken, and none of it is lost', () => {
  const name = '金魚'.repeat(40) + 'x'.repeat(81)
  const lines = formatTable(['ID', 'NAME', 'LAST'], [[1, name, name]], 60).split('\n')
  for (const line of lines) assert.ok(columnsOf(line) <= 60, line)
  assert.equal(lines.join('').replaceAll(/[^金魚x]/g, '').length, 2 * name.length)
})

test('if words must be broken, those of the last column are first, so that times stay in one piece', () => {
  const rows = [['2030-01-01T12:00Z', 'account.suspend', 'id: 9223372036854775807']]
  const lines = formatTable(['TIME', 'ACTION', 'DETAILS'], rows, 48).split('\n')
  assert.match(lines[1] ?? '', /^2030-01-01T12:00Z {2}account\.suspend {2}id:/)
  for (const line of lines) assert.ok(columnsOf(line) <= 48, line)
})
