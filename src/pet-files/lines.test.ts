import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_LINE_BYTES, readLines } from './lines.ts'

test('lines end with LF, CR or both; empty ones are skipped but counted, however the file is cut into chunks', async () => {
  const file = Buffer.from('\ufeff\n\r\n\nRex\r\n\r\n\n \n\r\r\n\nBella\rLuna\r\r\nTom')
  await assertLines(file, [
    [4, 'Rex'],
    [7, ' '],
    [11, 'Bella'],
    [12, 'Luna'],
    [14, 'Tom'],
  ])
})

test('byte order marks before a line and end-of-file characters after it are not part of it', async () => {
  const file = Buffer.from('\ufeffRex\n\x1a\n\ufeffBel\ufeffla\n\ufeff\nTom\x1a\x1a')
  await assertLines(file, [
    [1, 'Rex'],
    [3, 'Bel\ufeffla'],
    [5, 'Tom'],
  ])
})

test('millions of empty lines make no lines to keep', async () => {
  const part = Buffer.alloc(65_536, '\n')
  async function* parts() {
    for (let count = 0; count < 100; count++) yield part
    yield Buffer.from('Rex')
  }
  assert.deepEqual(await Array.fromAsync(readLines(parts())), [
    [{ number: part.length * 100 + 1, bytes: Buffer.from('Rex') }],
  ])
})

async function* partsOf(file: Buffer, size: number): AsyncIterable<Buffer> {
  for (let at = 0; at < file.length; at += size) yield file.subarray(at, at + size)
}

async function assertLines(file: Buffer, expected: [number: number, text: string][]): Promise<void> {
  for (let size = 1; size <= file.length; size++) {
    const lines = await Array.fromAsync(readLines(partsOf(file, size)))
    const found = lines.flat().map(({ number, bytes }) => [number, bytes?.toString()])
    assert.deepEqual(found, expected, `in parts of ${size} bytes`)
  }
}

test('a line may have the maximum of bytes, and no byte more', async () => {
  async function* chunks() {
    for (const length of [MAX_LINE_BYTES, MAX_LINE_BYTES + 1]) yield Buffer.from(`${'x'.repeat(length)}\n`)
  }
  const lines = (await Array.fromAsync(readLines(chunks()))).flat()
  assert.deepEqual(
    lines.map(({ bytes }) => bytes?.length),
    [MAX_LINE_BYTES, undefined],
  )
})
