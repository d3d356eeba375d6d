import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { columnsOf } from '../../src/cli/columns.ts'
import { formatTable } from '../../src/cli/text.ts'
import { setPlan } from '../../src/domain/administration/accounts.ts'
import { issueKey, revokeKey } from '../../src/domain/administration/keys.ts'
import { addPet, correctPet } from '../../src/domain/administration/pets.ts'
import { createToken } from '../../src/domain/administration/tokens.ts'
import { makeStore, PROGRAM, type TestStore } from '../support/command-line.ts'
import { needs } from '../support/needs.ts'

const YEAR_MS = 31_536_000_000

test('a character takes as many columns as a terminal gives it', () => {
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

test('columns line up whatever stands in them', () => {
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

test('a large number is read in groups of three digits', () => {
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

test('where words must be broken, those of the last column are, so that times stay whole', () => {
  const rows = [['2030-01-01T12:00Z', 'account.suspend', 'id: 9223372036854775807']]
  const lines = formatTable(['TIME', 'ACTION', 'DETAILS'], rows, 48).split('\n')
  assert.match(lines[1] ?? '', /^2030-01-01T12:00Z {2}account\.suspend {2}id:/)
  for (const line of lines) assert.ok(columnsOf(line) <= 48, line)
})

test('on a terminal of 80 columns no row is wider; elsewhere each is one line', async t => {
  if (!needs(t, 'script')) return
  const store = await makeFullStore(t)
  for (const command of ['account list', 'key list', 'token list', 'audit', 'pet list']) {
    const shown = await onTerminal(store, command)
    const lines = shown.trimEnd().split(/\r?\n/)
    assert.ok(lines.length > 1, shown)
    for (const line of lines) assert.ok(columnsOf(line) <= 80, line)
    if (/^(key|token) /.test(command)) assert.equal(lines.length, 3, `${command} needs no wrapping`)
    const words = command.split(' ')
    const [text = '', json = ''] = await store.textEach([words, [...words, '--json']])
    assert.equal(text.trimEnd().split('\n').length, JSON.parse(json).length + 1, command)
  }
})

async function onTerminal({ env }: TestStore, command: string): Promise<string> {
  const line = `stty cols 80; '${process.execPath}' '${PROGRAM}' ${command}`
  const settings = { PATH: process.env.PATH, TERM: 'xterm-256color', ...env }
  return (await promisify(execFile)('script', ['-qec', line, '/dev/null'], { env: settings, timeout: 60_000 })).stdout
}

/** All of which each list can show something. */
async function makeFullStore(t: Parameters<typeof makeStore>[0]): Promise<TestStore> {
  const store = await makeStore(t)
  await store.issueKey()
  await store.act(async acting => {
    const expiresAt = acting.now + YEAR_MS
    const { id } = await issueKey(acting, { account: 'acme', name: 'laptop', expiresAt })
    await revokeKey(acting, String(id))
    await createToken(acting, { name: 'Front desk', role: 'staff', expiresAt })
    await createToken(acting, { name: 'Anna', role: 'admin', expiresAt })
    await setPlan(acting, { account: 'acme', plan: 'enterprise', limits: { perMinute: 5_000, perDay: 1_000_000 } })
    const pet = await addPet(acting, { name: 'Rex '.repeat(60).trim(), categoryId: 1n, status: 'available' })
    await correctPet(acting, pet, { status: 'sold', name: 'x'.repeat(255), categoryId: -(2n ** 63n) })
    await addPet(acting, { name: 'Señor 金魚 '.repeat(12), categoryId: 2n ** 63n - 1n, status: 'pending' })
  })
  return store
}
