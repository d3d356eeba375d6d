import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PREVIEW_BYTES } from '../domain/pet-files.ts'
import { decode } from './encoding.ts'
import { previewCsv } from './preview.ts'

const PART_SIZES = [1, 999, 4_095, 4_096, 4_097, 1_000_000]

const ASCII = 'Rex;1\n'.repeat(1_500)

test('the beginning of a file may end in the middle of a character', async () => {
  const start = Buffer.alloc(PREVIEW_BYTES, 'x')
  start.write('name,categoryId\nRex,7\n')
  // The first of the two bytes of a character.
  start[PREVIEW_BYTES - 1] = 0x82
  const { rows } = await previewCsv(start, { encoding: 'shift_jis' })
  assert.deepEqual(rows, [['Rex', '7']])
})

test('a file is read the same way, however it is cut into chunks', async () => {
  const files: [bytes: Buffer, chosen: string | undefined, text: string][] = [
    [Buffer.from(''), undefined, ''],
    [Buffer.from('x'), undefined, 'x'],
    [Buffer.from(`${ASCII}J\xfcrgen;1\n`), undefined, `${ASCII}J\xfcrgen;1\n`],
    [Buffer.from(`${ASCII}J\xfcrgen;1\n`, 'latin1'), 'windows-1252', `${ASCII}J\xfcrgen;1\n`],
    [Buffer.from(`\ufeff${ASCII}\u0141`, 'utf16le'), undefined, `${ASCII}\u0141`],
    [Buffer.from(`\ufeff${ASCII}\u0141`, 'utf16le').swap16(), undefined, `${ASCII}\u0141`],
    [Buffer.from(`${ASCII}\u0141`, 'utf16le'), undefined, `${ASCII}\u0141`],
    [Buffer.from(`${ASCII}\u0141`, 'utf16le').swap16(), undefined, `${ASCII}\u0141`],
    [Buffer.from(`\ufeff${ASCII}`), undefined, `\ufeff${ASCII}`],
    [Buffer.concat([Buffer.from(ASCII), Buffer.from('8367835c', 'hex')]), 'shift_jis', `${ASCII}\u30c8\u30bd`],
  ]
  for (const [bytes, chosen, text] of files) {
    for (const size of PART_SIZES) {
      assert.equal(await decodeInParts(bytes, size, chosen), text, `${chosen} in parts of ${size} bytes`)
    }
  }
})

test('a byte order mark takes precedence over the chosen encoding, and that over UTF-16 without a mark', async () => {
  const marked = Buffer.from('\ufeffZo\xeb', 'utf16le')
  assert.equal(await decodeInParts(marked, 100, 'windows-1252'), 'Zo\xeb')
  assert.equal(await decodeInParts(Buffer.from('\ufeffZo\xeb'), 100, 'windows-1252'), '\ufeffZo\xeb')
  assert.equal(await decodeInParts(Buffer.from('Rex;', 'utf16le'), 100, 'windows-1252'), 'R\0e\0x\0;\0')
})

test('a file that is not valid in its encoding is refused', async () => {
  const files: [bytes: string, encoding: string][] = [
    ['83', 'shift_jis'],
    ['5265780a5a', 'utf-16le'],
    // Node cannot decode these.
    ['8740', 'big5'],
    ['8c63', 'euc-kr'],
  ]
  for (const [hex, encoding] of files) {
    await assert.rejects(
      decodeInParts(Buffer.from(hex, 'hex'), 1, encoding),
      new RegExp(`^UserError: The file is not valid in the encoding ${encoding}; choose another encoding`),
    )
  }
})

async function decodeInParts(bytes: Buffer, size: number, chosen: string | undefined): Promise<string> {
  async function* parts() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  return Buffer.concat(await Array.fromAsync(decode(parts(), chosen))).toString()
}
