import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey } from '../domain/api-key.ts'
import { openLog } from './log.ts'

test('only the text of an error is logged, without secrets and control characters', () => {
  const lines: string[] = []
  const log = openLog('info', { write: line => lines.push(line) })
  const key = generateKey('production')
  const cause = new Error(`refused by postgres://anna:s3cret@db\u009b2J for ${key}`)
  log.error(
    { err: Object.assign(new Error('no', { cause }), { code: 'ECONN', command: ['AUTH', 's3cret'], rawPacket: key }) },
    'x',
  )
  const [line = ''] = lines
  const { err } = JSON.parse(line)
  assert.match(err.message, /^no: refused by postgres:\/\/anna:…@db\\u\{9b\}2J for petstore_live_…$/)
  assert.match(err.stack, /caused by: Error: refused/)
  assert.deepEqual(Object.keys(err), ['type', 'code', 'message', 'stack'])
  assert.ok(!line.includes('s3cret') && !line.includes(key.slice(0, 25)), line)
  log.error({ err: 'x'.repeat(100_000) })
  assert.ok((lines[1]?.length ?? 0) < 10_000)
})

test('the message of an error is followed by its causes', () => {
  const lines: string[] = []
  const cause = new Error('no response arrived.', { cause: new Error('the connection ended') })
  openLog('info', { write: line => lines.push(line) }).error({
    err: new Error('The store is out of order.', { cause }),
  })
  assert.equal(
    JSON.parse(lines[0] ?? '').err.message,
    'The store is out of order: no response arrived: the connection ended',
  )
})
