import assert from 'node:assert/strict'
import { PassThrough, Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { LogLines } from './log-lines.ts'

test('log lines of any length and in any script arrive whole and in order', async () => {
  const output = new PassThrough({ highWaterMark: 10_000_000 })
  const lines = new LogLines(output)
  const lengths = [0, 1, 7, 100, 21_844, 21_845, 21_846, 65_535, 65_536, 65_537, 200_000]
  const written = lengths.flatMap(length => ['a', 'ü', '貓', '🐈', 'é🐈'].map(one => `${one.repeat(length)}\n`))
  for (const line of written) lines.write(line)
  lines.flush()
  output.end()
  assert.equal((await buffer(output)).toString(), written.join(''))
})

test('log lines that wait are written together after a quarter of a second', async () => {
  const chunks: string[] = []
  const { promise: written, resolve } = Promise.withResolvers<void>()
  const output = new Writable({
    write(chunk, _, done) {
      chunks.push(String(chunk))
      resolve()
      done()
    },
  })
  const lines = new LogLines(output)
  lines.write('one\n')
  lines.write('two\n')
  assert.deepEqual(chunks, [])
  await written
  assert.deepEqual(chunks, ['one\ntwo\n'])
})

test('log lines are dropped while their reader is too slow, and written again when it is not', async () => {
  const chunks: string[] = []
  let proceed = () => {}
  const output = new Writable({
    highWaterMark: 1,
    write(chunk, _, done) {
      chunks.push(String(chunk))
      proceed = done
    },
  })
  const lines = new LogLines(output)
  for (const line of ['one\n', 'lost\n']) {
    lines.write(line)
    lines.flush()
  }
  const drained = new Promise(resolve => output.once('drain', resolve))
  proceed()
  await drained
  lines.write('three\n')
  lines.flush()
  assert.deepEqual(chunks, ['one\n', 'three\n'])
})
