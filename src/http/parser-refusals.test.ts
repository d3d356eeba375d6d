import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { duplexPair } from 'node:stream'
import { test } from 'node:test'
import { MAX_HEADER_BYTES } from '../schema/limits.ts'
import { type ParserError, refusalOfParserError } from './parser-refusals.ts'

const LONG = 'a'.repeat(MAX_HEADER_BYTES + 1)
const CALL = 'GET / HTTP/1.1\r\nHost: x\r\n'

const cases: [what: string, code: string, ...packets: string[]][] = [
  ['a long target', 'uri_too_long', `GET /${LONG} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['a long target in absolute form', 'uri_too_long', `GET http://x/${LONG} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['a long target behind another call', 'uri_too_long', `${CALL}\r\nGET /${LONG} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['a long header', 'headers_too_large', `${CALL}X: ${LONG}\r\n\r\n`],
  ['a long header whose second packet begins with a word', 'headers_too_large', `${CALL}X: `, `HELLO ${LONG}`],
]

for (const [what, code, ...packets] of cases) {
  test(`${what} is ${code}`, async t => {
    const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES })
    const [client, connection] = duplexPair()
    t.after(() => connection.destroy())
    const failed = new Promise<ParserError>(resolve => server.once('clientError', resolve))
    server.emit('connection', connection)
    for (const packet of packets) client.write(packet)
    assert.equal(refusalOfParserError(await failed).code, code)
  })
}
