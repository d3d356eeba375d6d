import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseEncoding } from '../../src/domain/encoding.ts'
import type { EncodingGuess } from '../../src/domain/pet-files.ts'
import { decode } from '../../src/pet-files/encoding.ts'
import { recogniseEncoding } from '../../src/pet-files/recognise-encoding.ts'

// Which encoding a file has: certain, or guessed and shown.

const CASES = fileURLToPath(new URL('../cases/own/', import.meta.url))

interface Case {
  file: string
  encoding: string
  names: string[]
}

const cases: Case[] = JSON.parse(readFileSync(`${CASES}encodings.json`, 'utf8'))

const recognise = (...parts: readonly Buffer[]) =>
  recogniseEncoding(async function* () {
    yield* parts
  })

for (const { file, encoding, names } of cases) {
  const bytes = readFileSync(CASES + file)
  const isCertain = encoding.startsWith('utf-')

  test(`${file}: ${isCertain ? 'the encoding is recognised' : 'the right lines are among the guesses'}`, async () => {
    const recognised = await recognise(bytes)
    if (isCertain) return assert.equal(recognised, encoding)
    const guesses = recognised as EncodingGuess[]
    const isRight = (line: string) => names.includes(nameIn(line))
    assert.ok(
      guesses.some(({ lines }) => lines.every(isRight)),
      JSON.stringify(guesses),
    )
    assert.ok(guesses.length <= 5)
    for (const { lines } of guesses)
      assert.equal(lines.length, Math.min(3, names.filter(name => /\P{ASCII}/u.test(name)).length))
  })

  test(`${file}: every name is read in its encoding`, async () => {
    async function* parts() {
      for (const byte of bytes) yield Buffer.of(byte)
    }
    const text = Buffer.concat(await Array.fromAsync(decode(parts(), encoding))).toString()
    const [, ...lines] = text.trim().split(/\r?\n/)
    assert.deepEqual(lines.map(nameIn), names)
  })
}

function nameIn(line: string): string {
  return line.split(/[,;\t]/)[0] ?? ''
}

const latin = (text: string) => Buffer.from(text, 'latin1')
const HEADER = Buffer.from('name,categoryId\n')

test('valid UTF-8 is certain, however it is cut into chunks', async () => {
  const bytes = Buffer.from('name,categoryId\nZo\u00eb,7\n\ud83d\udc15,7\n')
  assert.equal(await recognise(...[...bytes].map(byte => Buffer.of(byte))), 'utf-8')
  assert.equal(await recognise(), 'utf-8')
})

test('one late byte that is not valid UTF-8 makes the encoding uncertain', async () => {
  const guesses = await recognise(HEADER, Buffer.from('Rex,7\n'.repeat(200_000)), latin('Zo\xeb,7\n'))
  assert.deepEqual((guesses as EncodingGuess[])[0], { encoding: 'windows-1252', lines: ['Zo\xeb,7'] })
})

test('a file is in UTF-8 if at least half of its lines beyond ASCII are, wherever they are', async () => {
  const [good, bad, plain] = [Buffer.from('Zo\u00eb,7\n'), latin('Zo\xeb,7\n'), Buffer.from('Rex,7\n'.repeat(15_000))]
  assert.equal(await recognise(HEADER, bad, plain, good), 'utf-8')
  assert.equal(await recognise(HEADER, good, plain, bad, plain, good), 'utf-8')
  assert.notEqual(await recognise(HEADER, bad, plain, bad, good), 'utf-8')
})

test('of encodings in which all lines are the same, one is shown, also if they differ only far behind', async () => {
  const umlauts = latin('J\xfcrgen,7\n'.repeat(20_000))
  const shown = async (...parts: Buffer[]) =>
    ((await recognise(HEADER, ...parts)) as EncodingGuess[]).map(({ encoding }) => encoding)
  assert.ok(!(await shown(umlauts)).includes('windows-1254'))
  const guesses = (await recognise(HEADER, umlauts, latin('Pa\xfea,7\n'), umlauts)) as EncodingGuess[]
  assert.ok(
    guesses.find(({ encoding }) => encoding === 'windows-1254')?.lines.includes('Pa\u015fa,7'),
    JSON.stringify(guesses),
  )
})

test('long lines are cut around the first character that matters, and lines without end do no harm', async () => {
  const far = latin(`${'x'.repeat(500)}Zo\xeb${'x'.repeat(500)}\n`)
  const [guess] = (await recognise(HEADER, far)) as EncodingGuess[]
  assert.match(guess?.lines[0] ?? '', /^\u2026x{17,20}Zo\u00ebx+\u2026$/)
  assert.equal(await recognise(latin('\xeb'.repeat(1_000_000))), 'utf-8', 'no line can be imported')
})

test('every label of the Encoding Standard is known, and no other', () => {
  const labels = {
    latin1: 'windows-1252',
    cp1251: 'windows-1251',
    sjis: 'shift_jis',
    ' UTF8 ': 'utf-8',
    mac: 'macintosh',
  }
  for (const [label, encoding] of Object.entries(labels)) assert.equal(parseEncoding(label), encoding)
  for (const label of ['', 'klingon', 'cp437', 'replacement']) assert.equal(parseEncoding(label), undefined)
})
