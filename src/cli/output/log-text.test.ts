import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { LogText } from './log-text.ts'

// Colours would break the comparisons here.
delete process.env.FORCE_COLOR

// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what a colour begins with
const COLOUR = /\u001b/
/** A moment in the local time zone, whatever that is. */
const time = new Date(2026, 0, 2, 3, 4, 5).getTime()

test('a call is its time, status, method, path, duration, and what else is known', () => {
  const call = {
    level: 30,
    time,
    requestId: 'r-1',
    method: 'GET',
    path: '/v1/pets',
    operation: 'listPets',
    account: 1,
    key: 2,
  }
  assert.equal(
    format({ ...call, status: 200, durationMs: 0.25, msg: 'call' }),
    '03:04:05  200    GET /v1/pets 0.3 ms account=1 key=2\n',
  )
  assert.equal(
    format({ ...call, status: 400, code: 'invalid_body', reason: 'name is missing', durationMs: 12, msg: 'call' }),
    '03:04:05  400    GET /v1/pets 12.0 ms account=1 key=2 code=invalid_body reason="name is missing"\n',
  )
})

test('the id of the request is shown when a call failed or got no response', () => {
  const call = { level: 30, time, requestId: 'r-1', method: 'GET', path: '/v1/pets', durationMs: 1, msg: 'call' }
  assert.equal(format({ ...call, status: 503 }), '03:04:05  503    GET /v1/pets 1.0 ms requestId=r-1\n')
  assert.equal(format(call), '03:04:05  -      GET /v1/pets 1.0 ms requestId=r-1\n')
})

test('any other entry is its level, its message and its fields', () => {
  const fields = { store: './data', ports: [80, 81], nothing: null }
  assert.equal(
    format({ level: 30, time, ...fields, msg: 'listening' }),
    '03:04:05  info   listening store=./data ports=[80,81] nothing=null\n',
  )
  for (const [level, name] of [
    [10, 'trace'],
    [20, 'debug'],
    [40, 'warn '],
    [50, 'error'],
    [60, 'fatal'],
    [35, '35   '],
  ]) {
    assert.equal(format({ level, time, msg: 'so it is' }), `03:04:05  ${name}  so it is\n`)
  }
})

test('an error is shown with its stack', () => {
  const err = { type: 'Error', message: 'no', stack: 'Error: no\n    at one\n    at two' }
  const indent = ' '.repeat(17)
  assert.equal(
    format({ level: 50, time, err, msg: 'failed' }),
    `03:04:05  error  failed\n${indent}Error: no\n${indent}    at one\n${indent}    at two\n`,
  )
  assert.equal(
    format({ level: 50, time, err: { message: 'no' }, msg: 'failed' }),
    `03:04:05  error  failed\n${indent}no\n`,
  )
})

test('whatever was thrown is shown', () => {
  for (const [err, shown] of [
    ['no', 'no'],
    ['no\nway', 'no\n                 way'],
    [null, 'null'],
    [7, '7'],
    [{ code: 7 }, '{"code":7}'],
  ]) {
    assert.equal(
      format({ level: 50, time, err, msg: 'failed' }),
      `03:04:05  error  failed\n${' '.repeat(17)}${shown}\n`,
    )
  }
})

test('the text of a field cannot look like another field', () => {
  const fields = { reason: 'a" code="b c', quote: '"', line: 'a\nb=c', list: ['x y'], path: 'C:\\pets' }
  assert.equal(
    format({ level: 30, time, ...fields, msg: 'so' }).trimEnd(),
    String.raw`03:04:05  info   so reason="a\" code=\"b c" quote="\"" line="a\nb=c" list=["x y"] path=C:\pets`,
  )
})

test('on a terminal, lines are wrapped between words', () => {
  const entry = { level: 30, time, url: 'http://127.0.0.1:8080', baseUrl: 'http://127.0.0.1:8080/v1', msg: 'listening' }
  assert.equal(
    format(entry, { columns: 60 }),
    `03:04:05  info   listening url=http://127.0.0.1:8080\n${' '.repeat(17)}baseUrl=http://127.0.0.1:8080/v1\n`,
  )
  assert.match(format(entry, { columns: 1 }), /^03:04:05 {2}info {3}/)
})

test('nothing in an entry can control the terminal or start its own line', () => {
  const evil = '\u001b[2J\n12:00:00\u202e'
  for (const entry of [
    { level: 30, time, msg: evil },
    { level: 30, time, msg: 'so', field: evil, list: [evil] },
    { level: 50, time, msg: 'so', err: { stack: evil } },
    { level: 30, time, msg: 'call', method: 'GET', path: evil, status: 200, durationMs: 1, reason: evil },
  ]) {
    const text = format(entry)
    assert.doesNotMatch(text, /[^\n -~]/)
    assert.doesNotMatch(text, /^12:00:00/m)
  }
})

test('colours are written only where the stream shows them', () => {
  const terminal = { isTTY: true, getColorDepth: () => 4 }
  assert.equal(
    format({ level: 40, time, msg: 'so' }, terminal),
    '\u001b[2m03:04:05\u001b[22m  \u001b[33mwarn \u001b[39m  so\n',
  )
  assert.doesNotMatch(format({ level: 40, time, msg: 'so' }, { isTTY: true, getColorDepth: () => 1 }), COLOUR)
})

function format(entry: object, terminal: object = {}): string {
  const stream = Object.assign(new PassThrough(), terminal)
  let written = ''
  const output = { write: (text: string) => (written += text) }
  new LogText(output, stream as unknown as NodeJS.WriteStream).write(`${JSON.stringify(entry)}\n`)
  return written
}
