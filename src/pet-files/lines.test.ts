import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLines } from './lines.ts'

test('empty lines are skipped but counted, however the file is cut into chunks', async () => {
  const file = Buffer.from('\ufeff\n\r\n\nRex\r\n\r\n\n \n\r\r\n\nBella\n\n\nTom')
  for (let size = 1; size <= file.length; size++) {
    const lines = await Array.fromAsync(readLines(partsOf(file, size)))
    assert.deepEqual(
      lines.flat().map(({ number, bytes }) => [number, bytes?.toString()]),
      [
        [4, 'Rex'],
        [7, ' '],
        [8, '\r'],
        [10, 'Bella'],
        [13, 'Tom'],
      ],
      `in parts of ${size} bytes`,
    )
  }
})

test('millions of empty lines make no lines to keep', async () => {
  const part = Buffer.alloc(65_536, '\n')
  async function* parts() {
    for (let count = 0; count < 500; count++) yield part
    yield Buffer.from('Rex')
  }
  assert.deepEqual(await Array.fromAsync(readLines(parts())), [
    [{ number: part.length * 500 + 1, bytes: Buffer.from('Rex') }],
  ])
})

async function* partsOf(file: Buffer, size: number): AsyncIterable<Buffer> {
  for (let at = 0; at < file.length; at += size) yield file.subarray(at, at + size)
}
