import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { pause } from '../sqlite/pause.ts'
import { buildIsWithin } from './address.ts'
import { buildClientAddress } from './client-address.ts'
import { Listener, type Timeouts } from './listener.ts'
import { readProxyHeader } from './proxy-protocol.ts'

const SIGNATURE = '0d0a0d0a000d0a515549540a'
const V1 = Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n')
const V2 = version2('21', '11', 'c0000207c6336401dc0401bb')

/** @param rest what follows the length, as hexadecimal digits like the others */
function version2(versionAndCommand: string, familyAndTransport: string, rest: string): Buffer {
  const length = (rest.length / 2).toString(16).padStart(4, '0')
  return Buffer.from(SIGNATURE + versionAndCommand + familyAndTransport + length + rest, 'hex')
}

const V6_PAIR = '20010db8000000000000000000000007'.repeat(2)

const HEADERS: [what: string, bytes: Buffer, address: string | undefined][] = [
  ['version 1, IPv4', V1, '192.0.2.7'],
  ['version 1, IPv6', Buffer.from('PROXY TCP6 2001:db8::7 2001:db8::1 0 65535\r\n'), '2001:db8::7'],
  ['version 1, unknown', Buffer.from('PROXY UNKNOWN\r\n'), undefined],
  ['version 1, unknown, with what is to be ignored', Buffer.from('PROXY UNKNOWN ffff::1 x 1\r\n'), undefined],
  ['version 1, as long as can be', Buffer.from(`PROXY UNKNOWN ${'x'.repeat(91)}\r\n`), undefined],
  ['version 2, IPv4', V2, '192.0.2.7'],
  ['version 2, IPv4, with notes', version2('21', '11', `c0000207c6336401dc0401bb${'030004a1b2c3d4'}`), '192.0.2.7'],
  ['version 2, IPv6', version2('21', '21', `${V6_PAIR}dc0401bb`), '2001:db8::7'],
  ['version 2, local', version2('20', '00', ''), undefined],
  ['version 2, local, with an address', version2('20', '11', 'c0000207c6336401dc0401bb'), undefined],
  ['version 2, unspecified', version2('21', '00', ''), undefined],
  ['version 2, UNIX', version2('21', '31', '00'.repeat(216)), undefined],
  ['version 2, UDP', version2('21', '12', 'c0000207c6336401dc0401bb'), undefined],
]

const GARBAGE: [what: string, bytes: Buffer][] = [
  ['a call', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ['TLS', Buffer.from('1603010200', 'hex')],
  ['an empty line', Buffer.from('\r\n\r\nGET')],
  ['small letters', Buffer.from('proxy TCP4 192.0.2.7 198.51.100.1 56324 443\r\n')],
  ['another protocol', Buffer.from('PROXY UDP4 192.0.2.7 198.51.100.1 56324 443\r\n')],
  ['the other family', Buffer.from('PROXY TCP6 192.0.2.7 198.51.100.1 56324 443\r\n')],
  ['mixed families', Buffer.from('PROXY TCP4 192.0.2.7 2001:db8::1 56324 443\r\n')],
  ['a name', Buffer.from('PROXY TCP4 localhost 198.51.100.1 56324 443\r\n')],
  ['a port too high', Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.1 65536 443\r\n')],
  ['a port with a zero before it', Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.1 056 443\r\n')],
  ['a missing port', Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.1 56324\r\n')],
  ['one word more', Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.1 56324 443 x\r\n')],
  ['two spaces', Buffer.from('PROXY TCP4  192.0.2.7 198.51.100.1 56324 443\r\n')],
  ['a line too long', Buffer.from(`PROXY UNKNOWN ${'x'.repeat(92)}\r\n`)],
  ['a line without end', Buffer.from(`PROXY ${'x'.repeat(200)}`)],
  ['version 1 in binary', version2('11', '11', 'c0000207c6336401dc0401bb')],
  ['version 3', version2('31', '11', 'c0000207c6336401dc0401bb')],
  ['an unknown command', version2('22', '11', 'c0000207c6336401dc0401bb')],
  ['an unknown family', version2('21', '41', 'c0000207c6336401dc0401bb')],
  ['an unknown transport', version2('21', '13', 'c0000207c6336401dc0401bb')],
  ['an address too short', version2('21', '11', 'c0000207c6336401dc0401')],
  ['an IPv6 address too short', version2('21', '21', V6_PAIR)],
  ['notes without end', version2('21', '11', '00'.repeat(4_081))],
]

test('a header has an address and a length', async t => {
  for (const [what, bytes, address] of HEADERS) {
    await t.test(what, () => {
      assert.deepEqual(readProxyHeader(bytes), { length: bytes.length, address })
      const followed = Buffer.concat([bytes, Buffer.from('\r\nPROXY GET / HTTP/1.1\r\n')])
      assert.deepEqual(readProxyHeader(followed), { length: bytes.length, address })
    })
  }
})

test('an incomplete header needs more bytes', () => {
  for (const [what, bytes] of HEADERS) {
    for (let length = 0; length < bytes.length; length++) {
      assert.equal(readProxyHeader(bytes.subarray(0, length)), 'incomplete', `${length} bytes of ${what}`)
    }
  }
})

test('anything else is not a header', async t => {
  for (const [what, bytes] of GARBAGE) await t.test(what, () => assert.equal(readProxyHeader(bytes), 'malformed'))
})

test('any bytes are a header, a part of one, or none', () => {
  const beginning = fc.constantFrom('', SIGNATURE, `${SIGNATURE}21`, Buffer.from('PROXY TCP4 ').toString('hex'))
  fc.assert(
    fc.property(beginning, fc.uint8Array({ maxLength: 300 }), (start, rest) => {
      const bytes = Buffer.concat([Buffer.from(start, 'hex'), rest])
      const header = readProxyHeader(bytes)
      if (typeof header === 'object') assert.ok(header.length <= bytes.length)
    }),
  )
})

test('a call that follows the header arrives whole, however the bytes are cut', async t => {
  const { send } = await openListener(t)
  for (const header of [V1, V2]) {
    const all = Buffer.concat([header, callOf('/', 'Connection: close')])
    for (const cut of [1, 5, 12, 13, 16, header.length - 1, header.length, header.length + 1, all.length]) {
      const parts = [all.subarray(0, cut), all.subarray(cut)]
      assert.deepEqual(bodiesOf(await send(parts)), ['/ 192.0.2.7 0'], `${cut} bytes first`)
    }
    const single = Array.from(all, byte => Buffer.of(byte))
    assert.deepEqual(bodiesOf(await send(single)), ['/ 192.0.2.7 0'])
  }
})

test('pipelined calls and large bodies arrive whole, on one connection of one client', async t => {
  const { send } = await openListener(t)
  const body = Buffer.alloc(3_000_000, 'x')
  const calls = [
    callOf('/one'),
    callOf('/two', `Content-Length: ${body.length}`),
    body,
    callOf('/three'),
    callOf('/four', 'Connection: close'),
  ]
  const expected = ['/one 192.0.2.7 0', `/two 192.0.2.7 ${body.length}`, '/three 192.0.2.7 0', '/four 192.0.2.7 0']
  assert.deepEqual(bodiesOf(await send([Buffer.concat([V2, ...calls])])), expected)
  assert.deepEqual(bodiesOf(await send([V2, ...calls])), expected)
})

test("a proxy's connection without a header is closed without a response, and the reason is reported", async t => {
  const { send, missing } = await openListener(t)
  for (const [what, bytes] of GARBAGE) assert.equal(await send([bytes]), '', what)
  assert.equal(missing.length, GARBAGE.length)
  assert.deepEqual(missing[0], ['127.0.0.1', 'it does not begin with a PROXY header'])
})

test('the service does not wait for a proxy that is slow with its header', { timeout: 10_000 }, async t => {
  const { open, missing } = await openListener(t, { headersMs: 100 })
  for (const beginning of ['', 'PROXY TCP4', `${V2.toString('latin1', 0, 20)}`]) {
    const socket = await open()
    socket.write(beginning, 'latin1')
    await once(socket.resume(), 'close')
  }
  assert.deepEqual(
    missing,
    Array.from({ length: 3 }, () => ['127.0.0.1', 'its PROXY header did not arrive in time']),
  )
})

test('a header that arrived while the service was blocked is read', async t => {
  const { listener, open } = await openListener(t, { headersMs: 500 })
  const accepted = once(listener.server, 'connection')
  const socket = await open()
  await accepted
  socket.write(Buffer.concat([V1, callOf('/', 'Connection: close')]))
  pause(1_000)
  const [answer] = await once(socket, 'data')
  assert.match(String(answer), /^HTTP\/1\.1 200 /)
})

test('a client that is slow after its header is timed out like any other', { timeout: 10_000 }, async t => {
  const { send } = await openListener(t, { headersMs: 100 })
  assert.match(await send([V2, callOf('/').subarray(0, 10)]), /^HTTP\/1\.1 408 /)
})

test('a proxy that disconnects before its header is complete leaves nothing behind', { timeout: 10_000 }, async t => {
  const { listener, open, missing } = await openListener(t)
  for (const leave of ['end', 'resetAndDestroy'] as const) {
    const accepted = once(listener.server, 'connection')
    const socket = await open()
    const [served] = (await accepted) as [Socket]
    const closed = once(served, 'close').catch(() => {})
    socket.write('PROXY ')
    await sleep(10)
    socket[leave]()
    await closed
  }
  assert.deepEqual(missing, [], 'a balancer may look whether a port is open')
})

test('with a header without an address, the proxy itself is the client, even with X-Forwarded-For', async t => {
  const { send } = await openListener(t)
  for (const header of [Buffer.from('PROXY UNKNOWN\r\n'), version2('20', '00', ''), version2('21', '00', '')]) {
    const call = callOf('/', 'X-Forwarded-For: 203.0.113.9', 'Connection: close')
    assert.deepEqual(bodiesOf(await send([header, call])), ['/ 127.0.0.1 0'])
  }
})

test('X-Forwarded-For is trusted only if the address in the header is that of a trusted proxy', async t => {
  const { send } = await openListener(t)
  const call = callOf('/', 'X-Forwarded-For: 198.51.100.66, 203.0.113.9', 'Connection: close')
  assert.deepEqual(bodiesOf(await send([V1, call])), ['/ 192.0.2.7 0'])
  const ofProxy = Buffer.from('PROXY TCP4 10.1.2.3 198.51.100.1 56324 443\r\n')
  assert.deepEqual(bodiesOf(await send([ofProxy, call])), ['/ 203.0.113.9 0'])
})

test('other clients speak plain HTTP, and a header from them is not a call', async t => {
  const { send, missing } = await openListener(t)
  const from = '127.0.0.9'
  assert.deepEqual(bodiesOf(await send([callOf('/', 'Connection: close')], from)), ['/ 127.0.0.9 0'])
  for (const header of [V1, V2]) {
    assert.match(await send([header, callOf('/', 'Connection: close')], from), /^HTTP\/1\.1 400 /)
  }
  assert.deepEqual(missing, [])
})

test('a stop ends connections on which no call has begun, with or without their header', {
  timeout: 10_000,
}, async t => {
  const { listener, open } = await openListener(t)
  const sockets: Socket[] = []
  for (const beginning of ['', V1.toString('latin1', 0, 20), V1.toString('latin1'), V2.toString('latin1')]) {
    const accepted = once(listener.server, 'connection')
    const socket = await open()
    sockets.push(socket.resume())
    const [served] = (await accepted) as [Socket]
    socket.write(beginning, 'latin1')
    while (served.bytesRead < beginning.length) await sleep(1)
  }
  const closed = Promise.all(sockets.map(socket => once(socket, 'close')))
  await listener.close()
  await closed
})

/** A listener that is called through the proxy 127.0.0.1, and answers with the path, the client's address and the length of the body. */
async function openListener(t: TestContext, timeouts: Partial<Timeouts> = {}) {
  const missing: [proxy: string, reason: string][] = []
  const isSpokenBy = buildIsWithin(['127.0.0.1', '10.0.0.0/8'])
  const onMissing = (proxy: string, reason: string) => void missing.push([proxy, reason])
  const listener = new Listener({
    timeouts: { checkEveryMs: 20, ...timeouts },
    proxyProtocol: { isSpokenBy, onMissing },
  })
  const clientAddress = buildClientAddress(isSpokenBy)
  listener.server.on('request', async (request: IncomingMessage, response) => {
    let length = 0
    for await (const chunk of request) length += chunk.length
    response.end(`${request.url} ${clientAddress(request)} ${length}\n`)
  })
  const port = Number(new URL(await listener.open('127.0.0.1', 0)).port)
  const sockets: Socket[] = []
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await listener.close()
  })

  async function open(from = '127.0.0.1'): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true })
    sockets.push(socket)
    await once(socket, 'connect')
    return socket.on('error', () => {})
  }

  /** Sends these parts, one packet each, and returns everything that comes back until the connection ends. */
  async function send(parts: readonly Buffer[], from?: string): Promise<string> {
    const socket = await open(from)
    let received = ''
    socket.setEncoding('latin1').on('data', text => {
      received += text
    })
    const closed = once(socket, 'close')
    for (const part of parts) {
      socket.write(part)
      await new Promise(setImmediate)
    }
    await closed
    return received
  }

  return { listener, open, send, missing }
}

function callOf(path: string, ...headers: string[]): Buffer {
  const method = headers.some(header => header.startsWith('Content-Length')) ? 'POST' : 'GET'
  return Buffer.from([`${method} ${path} HTTP/1.1`, 'Host: x', ...headers, '\r\n'].join('\r\n'))
}

/** The bodies of the answers in these bytes. */
function bodiesOf(received: string): string[] {
  return received.split('\n').filter(line => line.startsWith('/'))
}
