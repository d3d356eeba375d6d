import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CsvEncoding } from '../domain/pet-files.ts'
import { decode } from './encoding.ts'

const PART_SIZES = [999, 65_535, 65_536, 65_537, 1_000_000]

const SAMPLE_BYTES = 65_536

test('a file is read the same way, however it is cut into chunks', async () => {
  const ascii = 'Rex;1\n'.repeat(15_000)
  const files: [bytes: Buffer, encoding: CsvEncoding, text: string][] = [
    [Buffer.from(''), 'utf-8', ''],
    [Buffer.from(ascii), 'utf-8', ascii],
    [Buffer.from(`${ascii}J\xfcrgen;1\n`, 'latin1'), 'windows-1252', `${ascii}J\xfcrgen;1\n`],
    [Buffer.from(`${ascii}J\xfcrgen;1\n`), 'utf-8', `${ascii}J\xfcrgen;1\n`],
    [Buffer.from(`J\xfcrgen;1\n${ascii}Zo\xeb;1\n`, 'latin1'), 'windows-1252', `J\xfcrgen;1\n${ascii}Zo\xeb;1\n`],
    [Buffer.from('\xfc', 'latin1'), 'windows-1252', '\xfc'],
    [Buffer.from(`\ufeff${ascii}`, 'utf16le'), 'utf-16le', ascii],
    [Buffer.from(`\ufeff${ascii}`), 'utf-8', `\ufeff${ascii}`],
  ]
  for (const [bytes, encoding, text] of files) {
    for (const size of bytes.length < 10 ? [1] : PART_SIZES) {
      assert.deepEqual(await decodeInParts(bytes, size), { encoding, text }, `in parts of ${size} bytes`)
    }
  }
})

test('the sample has the same length, however the file is cut into chunks', async () => {
  const sample = `\xfc${'x'.repeat(SAMPLE_BYTES - 1)}`
  const inside = Buffer.concat([Buffer.from(sample.slice(0, -2), 'latin1'), Buffer.from('\xfc')])
  const behind = Buffer.concat([Buffer.from(sample, 'latin1'), Buffer.from('\xfc')])
  for (const size of PART_SIZES) {
    assert.equal((await decodeInParts(inside, size)).encoding, 'utf-8', `in parts of ${size} bytes`)
    assert.equal((await decodeInParts(behind, size)).encoding, 'windows-1252', `in parts of ${size} bytes`)
  }
})

test('a chosen encoding is used from the first byte', async () => {
  assert.equal((await decodeInParts(Buffer.from('Rex', 'utf16le'), 1, 'utf-16le')).text, 'Rex')
  assert.equal((await decodeInParts(Buffer.from('\xfc', 'latin1'), 1, 'windows-1252')).text, '\xfc')
})

async function decodeInParts(bytes: Buffer, size: number, chosen?: CsvEncoding) {
  let encoding: CsvEncoding | undefined
  async function* parts() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const decoded = await Array.fromAsync(
    decode(parts(), chosen, recognised => {
      encoding = recognised
    }),
  )
  return { encoding, text: Buffer.concat(decoded).toString() }
}
