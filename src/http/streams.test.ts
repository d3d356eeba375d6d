import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { until } from '../../test/support/eventually.ts'
import { Connection } from '../../test/support/raw.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import { pause } from '../sqlite/pause.ts'
import { type Answer, jsonAnswer } from './answer.ts'
import { openBodyStream } from './body-stream.ts'
import { Call } from './call.ts'
import { Listener, type Timeouts } from './listener.ts'
import { Refusal } from './refusal.ts'
import { serveCalls } from './server.ts'

// Answers that are sent while they are made, and bodies that are read as they arrive.

const PART = Buffer.alloc(65_536, 'x')
const MAX_BYTES = 20_000_000
/** Shorter ones would also refuse requests that a busy machine delays. */
const SHORT = { headersMs: 1_000, requestMs: 1_000, checkEveryMs: 20 }
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const CHUNKED = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n'

test('a streamed answer arrives as it was made, and the connection serves the next call', async t => {
  const { open, answered } = await serve(t, () => streamed(Readable.from(['a', 'bc', PART])))
  const connection = await open()
  connection.write(GET + GET)
  for (const _ of [1, 2]) {
    const answer = await connection.answer()
    assert.equal(answer.header('transfer-encoding'), 'chunked')
    assert.equal(answer.text, `abc${PART}`)
  }
  connection.destroy()
  assert.deepEqual(answered, ['200', '200'])
})

test('HEAD gets no body, and its stream is destroyed', async t => {
  const body = Readable.from(endless())
  const { open, answered } = await serve(t, () => streamed(body))
  const connection = await open()
  connection.write(GET.replace('GET', 'HEAD'))
  assert.equal((await connection.answer('HEAD')).status, 200)
  assert.ok(body.destroyed)
  assert.deepEqual(answered, ['200'])
  connection.destroy()
})

test('for HTTP/1.0, a streamed answer ends with the connection', async t => {
  const { open } = await serve(t, () => streamed(Readable.from(['a', 'b'])))
  const connection = await open()
  connection.write('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
  const answer = await connection.answer()
  assert.deepEqual([answer.header('connection'), answer.text], ['close', 'ab'])
  await connection.ended()
})

test('when a client leaves, its stream is destroyed, and the call is reported without a status', async t => {
  const body = Readable.from(endless())
  const { open, answered, errors } = await serve(t, () => streamed(body))
  const connection = await open()
  connection.write(GET)
  await connection.arrival()
  connection.reset()
  await until(() => body.destroyed && answered.length > 0)
  assert.deepEqual([answered, errors], [['gone'], []])
})

test('an answer whose stream fails is cut off, logged, and reported as that failure', async t => {
  async function* failing() {
    yield PART
    throw new StoreUnavailable('as a test wishes')
  }
  const { open, answered, errors } = await serve(t, () => streamed(Readable.from(failing())))
  const connection = await open()
  connection.write(GET)
  await assert.rejects(connection.answer(), /ended inside a body|without a whole answer/)
  assert.deepEqual(answered, ['503 service_unavailable'])
  assert.equal(errors.length, 1)
})

test('a stream whose call has been refused meanwhile is destroyed', async t => {
  const body = Readable.from(endless())
  const ready = Promise.withResolvers<Answer>()
  const { open } = await serve(t, () => ready.promise)
  const connection = await open()
  connection.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n')
  assert.equal((await connection.answer('POST')).status, 400)
  ready.resolve(streamed(body))
  await until(() => body.destroyed)
  connection.destroy()
})

test('no more of an answer is produced than its client reads; a client that reads nothing is cut off', async t => {
  let made = 0
  const body = Readable.from(endless(() => made++))
  const { open } = await serve(t, () => streamed(body), { stallTimeoutMs: 400, checkEveryMs: 20 })
  const connection = await open()
  connection.write(GET)
  await connection.arrival()
  connection.stopReading()
  await until(() => body.destroyed)
  assert.ok(made * PART.length < 30_000_000, `${made} parts`)
})

test('a client that reads its answer slowly is not cut off, however long it takes', async t => {
  const parts = 60
  const { port } = await serve(t, () => streamed(Readable.from(endless(undefined, parts))), {
    stallTimeoutMs: 200,
    checkEveryMs: 10,
  })
  const socket = connect({ port, host: '127.0.0.1' })
  let received = 0
  socket.on('data', bytes => {
    received += bytes.length
    socket.pause()
    setTimeout(() => socket.resume(), 5)
  })
  socket.write(GET)
  await until(() => received > parts * PART.length)
  assert.ok(!socket.destroyed)
  socket.destroy()
})

test('an orderly stop waits for the end of a streamed answer, and then ends its connection', async t => {
  const body = new Readable({ read() {} })
  const { open, stop } = await serve(t, () => streamed(body))
  const connection = await open()
  connection.write(GET)
  await connection.arrival()
  const startedAt = performance.now()
  const stopped = stop()
  body.push('the end')
  body.push(null)
  assert.equal((await connection.answer()).text, 'the end')
  await connection.ended()
  await stopped
  assert.ok(performance.now() - startedAt < 5_000)
})

test('an orderly stop answers each of the calls that have arrived on a connection', async t => {
  async function* late(): AsyncIterable<string> {
    await sleep(5)
    yield 'x'
  }
  for (const made of [() => jsonAnswer(200, 'x', []), () => streamed(Readable.from(late()))]) {
    const released = Promise.withResolvers<void>()
    let begun = 0
    const { open, stop } = await serve(t, async () => {
      begun++
      await released.promise
      return made()
    })
    const connection = await open()
    connection.write(GET + GET)
    await until(() => begun === 1)
    const stopped = stop()
    released.resolve()
    const answers = [await connection.answer(), await connection.answer()]
    assert.deepEqual(
      answers.map(({ text }) => text),
      ['x', 'x'],
    )
    await connection.ended()
    await stopped
  }
})

test('a body may take longer than a whole request, if bytes keep coming', async t => {
  const { open } = await serve(t, echoLength, SHORT)
  const connection = await open()
  connection.write(post(30))
  for (let sent = 0; sent < 30; sent++) {
    await sleep(40)
    connection.write('x')
  }
  assert.equal((await connection.answer('POST')).text, '30')
  connection.write(post(1, 'x'))
  assert.equal((await connection.answer('POST')).text, '1')
  connection.destroy()
})

test('a body that arrived while the service was blocked is read', async t => {
  const begun = Promise.withResolvers<void>()
  const read = async (call: Call) => {
    let length = 0
    for await (const chunk of openBodyStream(call, ['text/csv'], MAX_BYTES).chunks) {
      length += chunk.length
      begun.resolve()
    }
    return jsonAnswer(200, String(length), [])
  }
  const { open } = await serve(t, read, SHORT)
  const connection = await open()
  connection.write(post(2, 'x'))
  await begun.promise
  // Until the next part is awaited.
  await new Promise(setImmediate)
  connection.write('x')
  pause(2 * SHORT.requestMs)
  assert.equal((await connection.answer('POST')).text, '2')
  connection.destroy()
})

test('a body that stalls for too long is 408, even if the connection is silent', async t => {
  const { open } = await serve(t, echoLength, SHORT)
  const stalled = ['', 'x'].map(async start => {
    const connection = await open()
    connection.write(post(20, start))
    assert.equal((await connection.answer('POST')).json.code, 'request_timeout')
    await connection.ended()
  })
  await Promise.all(stalled)
})

test('a body that keeps coming, but at less than 1 KiB a second on average, is 408', async t => {
  const { open } = await serve(t, async call => {
    for await (const _ of openBodyStream(call, ['text/csv'], MAX_BYTES, 150).chunks);
    return jsonAnswer(200, '0', [])
  })
  const fast = await open()
  fast.write(post(20_000))
  const slow = await open()
  slow.write(post(20))
  const slowing = await open()
  slowing.write(post(5_010, 'x'.repeat(5_000)))
  for (let sent = 0; sent < 10; sent++) {
    await sleep(40)
    slow.write('x')
    slowing.write('x')
    fast.write(PART.subarray(0, 2_000))
  }
  assert.equal((await slow.answer('POST')).json.code, 'request_timeout')
  assert.equal(
    (await slowing.answer('POST')).json.code,
    'request_timeout',
    'a fast start does not make up for the rest',
  )
  assert.equal((await fast.answer('POST')).status, 200)
  fast.destroy()
})

test('the next request of a connection is held to its own time', async t => {
  const { open } = await serve(t, echoLength, SHORT)
  const connection = await open()
  connection.write(post(1, 'x'))
  assert.equal((await connection.answer('POST')).status, 200)
  connection.write('GET / HTTP/1.1\r\n')
  assert.equal((await connection.answer()).json.code, 'request_timeout')
})

test('a body that is too large is 413, declared or not', async t => {
  const { open } = await serve(t, echoLength)
  const declared = await open()
  declared.write(post(MAX_BYTES + 1))
  assert.equal((await declared.answer('POST')).json.code, 'body_too_large')
  declared.destroy()
  const chunked = await open()
  chunked.write(CHUNKED)
  for (let sent = 0; sent <= MAX_BYTES; sent += PART.length) {
    chunked.write(Buffer.concat([Buffer.from('10000\r\n'), PART, Buffer.from('\r\n')]))
  }
  assert.equal((await chunked.answer('POST')).json.code, 'body_too_large')
  chunked.destroy()
})

test('a client that sends all of its body before it reads gets its answer, even if that was ready early', async t => {
  const { open } = await serve(t, async call => {
    for await (const _ of openBodyStream(call, ['text/csv'], MAX_BYTES).chunks) break
    throw new Refusal('invalid_input', 'the first line is wrong')
  })
  const connection = await open()
  connection.stopReading()
  connection.write(post(100 * PART.length))
  for (let sent = 0; sent < 100; sent++) connection.write(PART)
  await until(() => connection.unsentBytes === 0)
  connection.startReading()
  assert.equal((await connection.answer('POST')).json.code, 'invalid_input')
  connection.write(post(1, 'x'))
  assert.equal((await connection.answer('POST')).json.code, 'invalid_input')
  connection.destroy()
})

test('what is left of a body after the answer must keep coming, or the connection ends', async t => {
  const { open } = await serve(
    t,
    async call => {
      openBodyStream(call, ['text/csv'], MAX_BYTES)
      throw new Refusal('invalid_input', 'something else is wrong')
    },
    SHORT,
  )
  const connection = await open()
  connection.write(post(100, 'x'))
  assert.equal((await connection.answer('POST')).json.code, 'invalid_input')
  await connection.ended()
})

test('no more of a body is read after the answer than it may be long', { timeout: 10_000 }, async t => {
  const { open } = await serve(t, async call => {
    openBodyStream(call, ['text/csv'], 100)
    throw new Refusal('invalid_input', 'something else is wrong')
  })
  const connection = await open()
  connection.write(CHUNKED)
  assert.equal((await connection.answer('POST')).json.code, 'invalid_input')
  connection.write('65\r\n')
  connection.write(PART.subarray(0, 101))
  await connection.ended()
})

test('what is left of a body that nobody has begun to read may take longer than a whole request, if bytes keep coming', async t => {
  const { open } = await serve(
    t,
    async call => {
      openBodyStream(call, ['text/csv'], MAX_BYTES)
      throw new Refusal('invalid_input', 'something else is wrong')
    },
    SHORT,
  )
  const connection = await open()
  connection.write(post(30))
  assert.equal((await connection.answer('POST')).json.code, 'invalid_input')
  for (let sent = 0; sent < 30; sent++) {
    await sleep(40)
    connection.write('x')
  }
  connection.write(post(1, 'x'))
  assert.equal((await connection.answer('POST')).json.code, 'invalid_input')
  connection.destroy()
})

test('a slow reader of a body slows its sender down', async t => {
  const ready = Promise.withResolvers<void>()
  const { open } = await serve(t, async call => {
    const { chunks } = openBodyStream(call, ['text/csv'], MAX_BYTES * 10)
    let length = 0
    for await (const chunk of chunks) {
      length += chunk.length
      await ready.promise
    }
    return jsonAnswer(200, String(length), [])
  })
  const connection = await open()
  connection.write(post(1_000 * PART.length))
  for (let sent = 0; sent < 1_000; sent++) connection.write(PART)
  await sleep(300)
  assert.ok(connection.unsentBytes > 30_000_000, `${connection.unsentBytes} bytes wait`)
  ready.resolve()
  assert.equal((await connection.answer('POST')).text, String(1_000 * PART.length))
  connection.destroy()
})

test('a client that waits for permission to send its body gets it, unless it speaks HTTP/1.0', async t => {
  const { open } = await serve(t, echoLength)
  const connection = await open()
  const waiting = post(3).replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n')
  connection.write(waiting)
  assert.equal((await connection.answer('POST')).status, 100)
  connection.write('abc')
  assert.equal((await connection.answer('POST')).text, '3')
  connection.destroy()
  const older = await open()
  older.write(`${waiting.replace('HTTP/1.1', 'HTTP/1.0')}abc`)
  assert.equal((await older.answer('POST')).text, '3')
})

test('a reader of a body learns that the client has left', async t => {
  let outcome: unknown
  const begun = Promise.withResolvers<void>()
  const { open, answered } = await serve(t, call => {
    begun.resolve()
    return echoLength(call).catch(rethrow)
  })
  function rethrow(error: unknown): never {
    outcome = error
    throw error
  }
  const connection = await open()
  connection.write(post(100, 'x'))
  await begun.promise
  connection.reset()
  await until(() => answered.length > 0)
  assert.equal((outcome as Error).name, 'ClientGone')
  assert.deepEqual(answered, ['gone'])
})

test('a reader that is busy while the client leaves learns it as soon as it wants more', async t => {
  const { open, answered } = await serve(t, async call => {
    for await (const _ of openBodyStream(call, ['text/csv'], MAX_BYTES).chunks) {
      connection.reset()
      await until(() => call.request.destroyed)
    }
    return jsonAnswer(200, '{}', [])
  })
  const connection = await open()
  connection.write(post(100, 'x'))
  await until(() => answered.length > 0)
  assert.deepEqual(answered, ['gone'])
})

test('another media type is 415; a charset is allowed', async t => {
  const types: string[] = []
  const { open } = await serve(t, call => {
    const { type, charset } = openBodyStream(call, ['text/csv'], MAX_BYTES)
    types.push(`${type} ${charset}`)
    return jsonAnswer(200, '{}', [])
  })
  const connection = await open()
  const send = async (headers: string) => {
    connection.write(post(1, 'x').replace('Content-Type: text/csv', headers))
    return (await connection.answer('POST')).status
  }
  for (const type of ['text/plain', 'text/csv; charset', 'text/csv; charset=a; charset=b', 'text/csv, text/csv']) {
    assert.equal(await send(`Content-Type: ${type}`), 415, type)
  }
  assert.equal(await send('Content-Type: text/csv\r\nContent-Type: text/csv'), 415)
  assert.equal(await send('Content-Type: text/csv\r\nContent-Encoding: gzip'), 415)
  assert.equal(await send('X: y'), 415)
  assert.equal(await send('Content-Type: Text/CSV; header=present; Charset="Windows-1252"'), 200)
  assert.deepEqual(types, ['text/csv windows-1252'])
  connection.destroy()
})

async function echoLength(call: Call): Promise<Answer> {
  let length = 0
  for await (const chunk of openBodyStream(call, ['text/csv'], MAX_BYTES).chunks) length += chunk.length
  return jsonAnswer(200, String(length), [])
}

function post(length: number, start = ''): string {
  return `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: ${length}\r\n\r\n${start}`
}

async function* endless(onPart = () => {}, parts = Number.POSITIVE_INFINITY): AsyncIterable<Buffer> {
  for (let made = 0; made < parts; made++) {
    onPart()
    yield PART
  }
}

function streamed(body: Readable): Answer {
  return { status: 200, headers: ['Content-Type', 'text/plain'], body }
}

async function serve(
  t: TestContext,
  answer: (call: Call) => Answer | Promise<Answer>,
  timeouts: Partial<Timeouts> = {},
) {
  const listener = new Listener({ timeouts })
  const answered: string[] = []
  const errors: string[] = []
  let isStopping = false
  serveCalls(listener, {
    api: {
      Call,
      answer,
      linesOf: () => '',
      onIncomplete: (_, refusal, refuse) => refuse(refusal),
      onUnparsed: (_, refusal) => ({ refusal, lines: '' }),
    },
    log: pino({ level: 'error' }, { write: line => void errors.push(line) }),
    onAnswered: (_, status, refusal) => {
      answered.push(refusal ? `${status} ${refusal.code}` : String(status ?? 'gone'))
    },
    isStopping: () => isStopping,
    now: Date.now,
  })
  const port = Number(new URL(await listener.open('127.0.0.1', 0)).port)
  let stopped: Promise<void> | undefined
  function stop(): Promise<void> {
    isStopping = true
    stopped ??= listener.close()
    return stopped
  }
  const connections: Connection[] = []
  t.after(() => {
    for (const connection of connections) connection.destroy()
    return stop()
  })
  async function open(): Promise<Connection> {
    const connection = await Connection.open(port)
    connections.push(connection)
    return connection
  }
  return { open, port, answered, errors, stop }
}
