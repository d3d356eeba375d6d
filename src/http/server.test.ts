import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { eventually } from '../../test/support/eventually.ts'
import { NEVER_OVERLOADED, Overload } from '../domain/overload.ts'
import { jsonAnswer } from './answer.ts'
import { readBody } from './body.ts'
import { Call } from './call.ts'
import { Listener } from './listener.ts'
import { Refusal } from './refusal.ts'
import { type Api, serveCalls } from './server.ts'

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const OK = jsonAnswer(200, '{}', [])

const API: Api<Call> = {
  Call,
  answer: () => OK,
  linesOf: () => '',
  onIncomplete: (_, refusal, refuse) => refuse(refusal),
  onUnparsed: (_, refusal) => ({ refusal, lines: '' }),
}

const failures: [what: string, api: Partial<Api<Call>>][] = [
  ['an answer whose header cannot be sent', { answer: () => ({ status: 200, headers: ['X-Bad', 'a\nb'], body: '' }) }],
  ['a refusal whose header cannot be sent', { answer: () => refuse({ 'X-Bad': 'a\nb' }) }],
  ['a refusal after a while, whose header cannot be sent', { answer: async () => refuse({ 'X-Bad': 'a\nb' }) }],
  ['headers that cannot be made', { linesOf: () => fail() }],
  ['headers that cannot be made in time', { linesOf: async () => fail() }],
]

for (const [what, failing] of failures) {
  test(`${what} end their connection, and no other; the call is reported once`, async t => {
    let isFailing = true
    const { send, answered, errors } = await serve(t, {
      ...API,
      ...Object.fromEntries(
        Object.entries(failing).map(([name, fails]) => [
          name,
          (...of: []) => (isFailing ? (fails as (...of: []) => unknown)(...of) : name === 'answer' ? OK : ''),
        ]),
      ),
    })
    assert.equal(await send(GET), '')
    assert.deepEqual(answered, [undefined])
    assert.equal(errors.length, 1)
    isFailing = false
    assert.match(await send(GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')), /^HTTP\/1\.1 200 /)
  })
}

test('an answer that cannot be sent releases what its body holds', async t => {
  for (const linesOf of [() => fail(), async () => fail()]) {
    const body = new Readable({ read() {} })
    const { send } = await serve(t, { ...API, answer: () => ({ status: 200, headers: [], body }), linesOf })
    assert.equal(await send(GET), '')
    assert.ok(body.destroyed)
  }
})

test('a refusal that cannot be sent ends its connection, and no other', async t => {
  const { send, errors } = await serve(t, { ...API, onUnparsed: () => fail() })
  assert.equal(await send('nonsense\r\n\r\n'), '')
  assert.equal(await send('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'), '')
  assert.equal(errors.length, 2)
  assert.match(await send(GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')), /^HTTP\/1\.1 200 /)
})

test('a call whose body cannot be read is refused, although it was not yet its turn', async t => {
  const { send, answered } = await serve(t, { ...API, answer: async () => OK })
  const post = GET.replace('GET', 'POST').replace('\r\n\r\n', '\r\nTransfer-Encoding: chunked\r\n\r\n')
  assert.match(await send(`${GET}${post}no length\r\n`), /^HTTP\/1\.1 200 .*HTTP\/1\.1 400 /s)
  assert.deepEqual(answered, [200, 400])
})

test('a body that cannot be read after its answer ends the connection', async t => {
  const { port } = await serve(t, API)
  const socket = connect(port, '127.0.0.1')
  const head = GET.replace('GET', 'POST').replace('\r\n\r\n', '\r\nTransfer-Encoding: chunked\r\n\r\n')
  socket.write(head)
  assert.match(String(await once(socket, 'data')), /^HTTP\/1\.1 200 /)
  socket.resume().write('no length\r\n')
  // An idle connection would stay open for a minute.
  await once(socket, 'close', { signal: AbortSignal.timeout(30_000) })
})

test('what is not a call is refused although its sender has closed its side before', async t => {
  const { send } = await serve(t, {
    ...API,
    onUnparsed: async ({ socket }, refusal) => {
      await eventually(() => assert.ok(socket.readableEnded))
      return { refusal, lines: '' }
    },
  })
  assert.match(await send('nonsense\r\n\r\n', true), /^HTTP\/1\.1 400 /)
  assert.match(await send('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', true), /^HTTP\/1\.1 501 /)
})

test('a call whose client leaves before its body is read is reported', async t => {
  const { port, answered } = await serve(t, {
    ...API,
    answer: async call => {
      socket.resetAndDestroy()
      await eventually(() => assert.ok(call.request.destroyed))
      await readBody(call)
      return OK
    },
  })
  const socket = connect(port, '127.0.0.1')
  socket.write(GET.replace('GET', 'POST').replace('\r\n\r\n', '\r\nContent-Length: 9\r\n\r\nx'))
  await eventually(() => assert.deepEqual(answered, [undefined]))
})

test('new connections are accepted between the calls of others, however many of these there are', async t => {
  const NEW = 20
  let answered = 0
  const { listener, accepted, sockets, open } = await crowd(t, () => {
    answered++
  })
  for (const socket of sockets) socket.write(GET)
  await Promise.all(Array.from({ length: NEW }, open))
  let answeredBefore = Number.POSITIVE_INFINITY
  listener.server.on('connection', () => {
    if (accepted.size === CALLS + NEW) answeredBefore = answered
  })
  await eventually(() => assert.equal(answered, CALLS))
  assert.ok(answeredBefore < CALLS, 'the last new client did not wait for all calls')
  t.diagnostic(`after ${answeredBefore} of ${CALLS} calls`)
})

test('a call has the time of its arrival, however long it waits for its turn', async t => {
  const waits: number[] = []
  let differing = 0
  const { sockets } = await crowd(t, ({ now, startedAt }) => {
    waits.push(Date.now() - now)
    // Far less than the longest wait.
    if (Math.abs(Date.now() - now - (performance.now() - startedAt)) > 50) differing += 1
  })
  for (const socket of sockets) socket.write(GET)
  await eventually(() => assert.equal(waits.length, CALLS))
  assert.ok(Math.max(...waits) > CALLS / 4, `${Math.max(...waits)} ms`)
  // A busy machine may pause the process between two of these clocks.
  assert.ok(differing < CALLS / 10, `${differing} differ`)
})

test('a call whose client leaves while it waits for its turn is reported, and not carried out', async t => {
  let carriedOut = 0
  const { sockets, answered } = await crowd(t, () => {
    carriedOut++
  })
  for (const socket of sockets) socket.write(GET)
  await eventually(() => assert.ok(carriedOut > 0))
  for (const socket of sockets.slice(CALLS / 2)) socket.resetAndDestroy()
  await eventually(() => assert.equal(answered.length, CALLS))
  const gone = answered.filter(status => status === undefined).length
  assert.ok(gone > 0)
  assert.equal(carriedOut, CALLS - gone)
})

const CALLS = 300

/** One connection for each simultaneous call. Each call takes a millisecond of CPU time. */
async function crowd(t: TestContext, carryOut: (call: Call) => void) {
  const answer = (call: Call) => {
    const endsAt = performance.now() + 1
    while (performance.now() < endsAt);
    carryOut(call)
    return OK
  }
  // On a busy machine these calls are an overload, and none may be refused here.
  const served = await serve(t, { ...API, answer }, new Overload({}, NEVER_OVERLOADED))
  const open = async () => {
    const socket = connect(served.port, '127.0.0.1').resume()
    t.after(() => socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  const accepted = new Set<object>()
  served.listener.server.on('connection', socket => accepted.add(socket))
  const sockets = await Promise.all(Array.from({ length: CALLS }, open))
  await eventually(() => assert.equal(accepted.size, CALLS))
  return { ...served, accepted, sockets, open }
}

function refuse(headers: Readonly<Record<string, string>>): never {
  throw new Refusal('conflict', 'It cannot be said.', { headers })
}

function fail(): never {
  throw new Error('as a test wishes')
}

async function serve(t: TestContext, api: Api<Call>, overload?: Overload) {
  const listener = new Listener()
  const answered: (number | undefined)[] = []
  const errors: string[] = []
  serveCalls(listener, {
    api,
    log: pino({ level: 'error' }, { write: line => void errors.push(line) }),
    onAnswered: (_, status) => void answered.push(status),
    isStopping: () => false,
    ...(overload && { overload }),
    now: Date.now,
  })
  const port = Number(new URL(await listener.open('127.0.0.1', 0)).port)
  t.after(() => listener.close())

  /**
   * Sends these bytes, and returns everything that comes back until the connection ends.
   * @param isEnd whether nothing more can be sent
   */
  async function send(bytes: string, isEnd = false): Promise<string> {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1')
    let received = ''
    socket.on('data', text => {
      received += text
    })
    if (isEnd) socket.end(bytes)
    else socket.write(bytes)
    await once(socket, 'close')
    return received
  }
  return { send, answered, errors, listener, port }
}
