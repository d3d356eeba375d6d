import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unzipSync } from 'fflate'
import { exportColumns } from '../export-columns.ts'
import { decodeCharacters, encodeCharacters } from './characters.ts'
import { MAX_ROWS } from './read-workbook.ts'
import { writeWorkbook } from './write-workbook.ts'

async function* none() {}

test('a workbook has at most as many animals as a sheet has room for', async () => {
  const write = (count: number) => Array.fromAsync(writeWorkbook(none(), count, exportColumns()))
  assert.ok((await write(MAX_ROWS - 1)).length > 0)
  await assert.rejects(write(MAX_ROWS), {
    kind: 'conflict',
    message: /can have 1048575 animals, but there are 1048576/,
  })
})

test('numbers of up to 15 digits are numbers, longer ones and all other values texts', async () => {
  async function* one() {
    const origin = { petId: 1n, source: '7', externalId: '0017' }
    yield [{ id: 10n ** 15n - 1n, name: '12', categoryId: -(10n ** 15n), status: 'sold' as const, origin }]
  }
  const columns = exportColumns({ labels: new Map(), externalIds: true })
  const file = Buffer.concat(await Array.fromAsync(writeWorkbook(one(), 1, columns)))
  const sheet = Buffer.from(unzipSync(file)['xl/worksheets/sheet1.xml'] ?? []).toString()
  const [, row = ''] = sheet.split('</row>')
  const text = (value: string) => `<c t="inlineStr"><is><t xml:space="preserve">${value}</t></is></c>`
  const cells = ['12', '-1000000000000000'].map(text).join('')
  const others = ['sold', '7', '0017'].map(text).join('')
  assert.equal(row, `<row><c><v>999999999999999</v></c>${cells}<c/>${others}`)
})

test('an error while the animals are read is the error of the workbook, and one that is not read to its end stops them', async () => {
  async function* failing() {
    yield []
    throw new Error('The store is gone.')
  }
  await assert.rejects(Array.fromAsync(writeWorkbook(failing(), 1, exportColumns())), { message: 'The store is gone.' })
  const { promise, resolve } = Promise.withResolvers<void>()
  let isBegun = false
  async function* endless() {
    isBegun = true
    try {
      for (let id = 1n; ; id += 1n) yield [{ id, name: 'x'.repeat(255), categoryId: id, status: 'sold' as const }]
    } finally {
      resolve()
    }
  }
  for await (const _ of writeWorkbook(endless(), 1, exportColumns())) if (isBegun) break
  await promise
})

test('characters that XML cannot have, and texts that look like them, are written as the format says', () => {
  const pairs = [
    ['_x0041_', '_x005F_x0041_'],
    ['\u0001a\uffff', '_x0001_a_xFFFF_'],
    [' a b ', '_x0020_a b_x0020_'],
    ['_x', '_x'],
  ] as const
  for (const [text, written] of pairs) {
    assert.equal(encodeCharacters(text), written)
    assert.equal(decodeCharacters(written), text)
  }
  assert.equal(decodeCharacters(' Rex_x000D_ '), 'Rex', 'blanks and line ends around a text are not part of it')
})
