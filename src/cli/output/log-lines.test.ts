import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough, Writable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../../test/support/eventually.ts'
import { temporaryFolder } from '../../../test/support/folder.ts'
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

test('lines that a stalled reader cannot take wait, and are dropped and counted only when there is no room', async () => {
  const chunks: Buffer[] = []
  let proceed = () => {}
  const output = new Writable({
    highWaterMark: 1,
    write(chunk, _, done) {
      chunks.push(chunk)
      proceed = done
    },
  })
  const { promise: returned, resolve } = Promise.withResolvers<number>()
  const lines = new LogLines(output, resolve)
  const line = `${'x'.repeat(1_023)}\n`
  const room = 32 * 1_024
  for (let count = 0; count < room; count += 1) lines.write(line)
  lines.flush()
  assert.equal(lines.dropped, 0)
  for (let count = 0; count < 100; count += 1) lines.write(line)
  lines.flush()
  assert.equal(lines.dropped, 100)
  while (output.writableLength > 0) {
    proceed()
    await new Promise(setImmediate)
  }
  assert.equal(await returned, 100)
  lines.write('after\n')
  lines.flush()
  assert.equal(Buffer.concat(chunks).toString(), `${line.repeat(room)}after\n`)
  assert.equal(lines.dropped, 100)
})

test('lines are counted as dropped when their reader has ended', async () => {
  // As Node's standard output, which is never destroyed.
  const write: Writable['_write'] = (_bytes, _encoding, done) => done(new Error('write EPIPE'))
  const output = new Writable({ write, autoDestroy: false })
  output.on('error', () => {})
  const lines = new LogLines(output)
  for (const written of [1, 2]) {
    lines.write('{}\n')
    lines.flush()
    await eventually(() => assert.equal(lines.dropped, written))
  }
})

test('a log in a file continues on a new line once its disk has room again', async t => {
  const file = join(await temporaryFolder(t), 'service.log')
  const script = `
    import { createInterface } from 'node:readline'
    import { LogLines } from ${JSON.stringify(new URL('log-lines.ts', import.meta.url))}
    import { openLogOutput } from ${JSON.stringify(new URL('log-output.ts', import.meta.url))}
    const lines = new LogLines(openLogOutput(process.stdout), dropped => process.stderr.write(dropped + ' were dropped\\n'))
    for await (const line of createInterface(process.stdin)) {
      lines.write(line + '\\n')
      lines.flush()
      await new Promise(setImmediate)
      process.stderr.write(lines.dropped + '\\n')
    }`
  // A limit for the size of files fails as a full disk does, and can be reached without one.
  const child = spawn(
    'sh',
    ['-c', 'ulimit -f 1; exec "$0" "$@" >>"$FILE"', process.execPath, '--input-type=module', '-e', script],
    {
      env: { ...process.env, FILE: file },
      stdio: ['pipe', 'ignore', 'pipe'],
    },
  )
  const reports = createInterface(child.stderr)[Symbol.asyncIterator]()
  const after = async (line: string) => {
    child.stdin.write(`${line}\n`)
    return (await reports.next()).value
  }
  assert.equal(await after('first'), '0')
  assert.equal(await after('x'.repeat(2_000)), '1')
  assert.equal(await after('still full'), '2')
  await truncate(file, 'first\nxx'.length)
  assert.equal(await after('last'), '2 were dropped')
  child.stdin.end()
  await once(child, 'exit')
  assert.equal(await readFile(file, 'utf8'), 'first\nxx\nlast\n')
})

test('a process that ends waits for a reader of its log that is slow', async () => {
  const [total, patienceMs] = [16_000, 2_000]
  const script = `
    import { LogLines } from ${JSON.stringify(new URL('log-lines.ts', import.meta.url))}
    import { exitOnceUnread, openLogOutput } from ${JSON.stringify(new URL('log-output.ts', import.meta.url))}
    const lines = new LogLines(openLogOutput(process.stdout))
    for (let number = 0; number < ${total}; number += 1) lines.write('x'.repeat(1_000) + '\\n')
    lines.flush()
    exitOnceUnread(process.stdout, ${patienceMs})`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  let bytes = 0
  for await (const chunk of child.stdout) {
    bytes += chunk.length
    // Spreads all of it over more time than may pass without a read.
    await sleep((2 * patienceMs * chunk.length) / (total * 1_001))
  }
  assert.equal(bytes, total * 1_001)
})

test('no line is lost in silence when the reader of a pipe stalls', async () => {
  const total = 60_000
  const script = `
    import { LogLines } from ${JSON.stringify(new URL('log-lines.ts', import.meta.url))}
    const lines = new LogLines(process.stdout, dropped => {
      lines.write(JSON.stringify({ dropped }) + '\\n')
      lines.flush()
      process.stdout.end()
    })
    for (let number = 0; number < ${total}; number += 1) {
      lines.write(JSON.stringify({ number, text: 'x'.repeat(1_000) }) + '\\n')
      if (number % 500 === 0) await new Promise(setImmediate)
    }
    lines.flush()
    process.stderr.write('written')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] })
  await once(child.stderr, 'data')
  const read = (await text(child.stdout))
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  const { dropped } = read.pop()
  assert.ok(dropped > 0 && read.length > 30_000, `${dropped} of ${total} were dropped`)
  assert.equal(read.length + dropped, total)
  // Whole, in order, and complete up to the first that was dropped.
  const numbers = read.map(({ number }) => number)
  assert.deepEqual(
    numbers,
    numbers.toSorted((one, other) => one - other),
  )
  assert.equal(numbers[30_000], 30_000)
})
