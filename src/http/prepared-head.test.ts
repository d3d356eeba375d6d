import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { pino } from 'pino'
import { makeAuthority } from '../../test/support/certificates.ts'
import { type Answer, jsonAnswer, preparedAnswer, type WholeAnswer } from './answer.ts'
import { Call } from './call.ts'
import { notModified } from './conditional.ts'
import { headersIn, linesOf, preparedLinesOf } from './header-lines.ts'
import { Listener } from './listener.ts'
import { buildHeadEnd } from './prepared-head.ts'
import { Refusal, refusalAnswer } from './refusal.ts'
import { serveCalls } from './server.ts'

const LARGE = 'x'.repeat(1_000_000)
const list = jsonAnswer(200, '[]', ['ETag', '"a"', 'Link', '</next>; rel="next"'])
const ANSWERS: Record<string, Answer> = {
  '/list': list,
  '/list-of-umlauts': jsonAnswer(200, '["Bärbel", "ラッコ"]', ['ETag', '"b"']),
  '/bytes': { ...list, body: Buffer.from('[]') },
  '/large': jsonAnswer(200, LARGE, []),
  '/not-modified': notModified(list),
  '/created': jsonAnswer(201, '{}', ['Location', '/pets/1']),
  '/no-content': { status: 204, headers: ['Allow', 'GET'], body: '' },
  '/refused': refusalAnswer(new Refusal('rate_limit_exceeded', 'Wait.', { headers: { 'Retry-After': '7' } })),
}

const ofPath = (path: string, first = 'GET', more = '') => `${first} ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
const END = ofPath('/list', 'GET', 'Connection: close\r\n')

const REQUESTS: readonly string[] = [
  ...Object.keys(ANSWERS).flatMap(path => [ofPath(path), ofPath(path, 'HEAD')]),
  Object.keys(ANSWERS)
    .map(path => ofPath(path))
    .join(''),
  `${ofPath('/list', 'POST', 'Content-Length: 2\r\n')}{}`,
  `${ofPath('/list', 'POST', 'Transfer-Encoding: chunked\r\n')}2\r\n{}\r\n0\r\n\r\n`,
  ofPath('/list', 'GET', 'Connection: keep-alive, upgrade\r\nUpgrade: h2c\r\n'),
  ofPath('/list', 'POST', 'Expect: 100-continue\r\nContent-Length: 2\r\n'),
  'GET /list HTTP/1.0\r\n\r\n',
  'GET /list HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
  'GET /not-modified HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
]

for (const scheme of ['http', 'https'] as const) {
  test(`a prepared head has the bytes that writeHead sends, over ${scheme}`, async t => {
    const sendPrepared = await serve(t, scheme, prepared)
    const send = await serve(t, scheme, unprepared)
    for (const request of REQUESTS) {
      const received = await sendPrepared(`${request}${END}`)
      assert.equal(received, await send(`${request}${END}`), request)
      assert.match(received, /^HTTP\/1\.1 .*\r\nDate: \r\n/s, request)
    }
  })
}

test('prepared headers are sent as they are while the connection stays open', async t => {
  const send = await serve(t, 'http', answer => ({ ...answer, lines: 'Content-Length: 2\r\nX-Way-Out: fast\r\n' }))
  assert.equal((await send(`${ofPath('/list')}${END}`)).match(/X-Way-Out: fast/g)?.length, 1)
})

test('a service that is stopping ends the connection after an answer with prepared headers', async t => {
  const send = await serve(t, 'http', prepared, true)
  assert.match(await send(ofPath('/list')), /\r\nConnection: close\r\n/)
})

test('an answer has the date of its second, also when the clock is set back', t => {
  const noon = Date.UTC(2025, 2, 1, 12)
  t.mock.timers.enable({ apis: ['Date'], now: noon })
  const headEnd = buildHeadEnd(65_000)
  for (const [milliseconds, time] of [
    [0, '12:00:00'],
    [999, '12:00:00'],
    [1_000, '12:00:01'],
    [90_000, '12:01:30'],
    [500, '12:00:00'],
  ] as const) {
    t.mock.timers.setTime(noon + milliseconds)
    const expected = `Date: Sat, 01 Mar 2025 ${time} GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=65\r\n\r\n`
    assert.equal(headEnd(), expected)
  }
})

test('a header that would leave its line is not prepared', () => {
  for (const prepare of [linesOf, preparedLinesOf]) {
    assert.throws(() => prepare(['Link', 'a\r\nSet-Cookie: b']), { code: 'ERR_INVALID_CHAR' })
    assert.throws(() => prepare(['Bad name', 'a']), { code: 'ERR_INVALID_HTTP_TOKEN' })
  }
})

test('the headers in lines are those that the lines were made from', () => {
  const headers = ['Link', '<https://pets.example/v1/pets?limit=2>; rel="next"', 'Allow', 'GET, HEAD', 'X-Empty', '']
  assert.deepEqual(headersIn(linesOf(headers)), headers)
  assert.deepEqual(headersIn(preparedLinesOf([])), [])
})

/** Returns a function that sends bytes, and resolves to everything that comes back, without the dates. */
async function serve(
  t: TestContext,
  scheme: 'http' | 'https',
  prepare: (answer: Answer) => Answer,
  isStopping = false,
) {
  const authority = makeAuthority()
  const listener = new Listener({ credentials: scheme === 'https' ? authority.issue() : undefined })
  serveCalls(listener, {
    api: {
      Call,
      answer(call) {
        call.pathLines = 'Deprecation: @1\r\n'
        return prepare(ANSWERS[call.request.url ?? ''] as Answer)
      },
      linesOf: () => 'X-RateLimit-Limit: 60\r\n',
      onIncomplete: (_, refusal, refuse) => refuse(refusal),
      onUnparsed: (_, refusal) => ({ refusal, lines: '' }),
    },
    log: pino({ level: 'silent' }),
    onAnswered: () => {},
    isStopping: () => isStopping,
    hstsSeconds: 60,
    now: Date.now,
  })
  const port = Number(new URL(await listener.open('127.0.0.1', 0)).port)
  t.after(() => listener.close())

  return async (bytes: string): Promise<string> => {
    const socket = scheme === 'https' ? connectTls({ port, ca: authority.cert }) : connect(port, '127.0.0.1')
    let received = ''
    socket.setEncoding('latin1').on('data', text => {
      received += text
    })
    socket.write(bytes.replaceAll(/( HTTP\/1\..\r\n)/g, '$1X-Request-Id: id\r\n'))
    await once(socket, 'close')
    return received.replaceAll(/(?<=\r\nDate: )\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g, '')
  }
}

function prepared(answer: Answer): Answer {
  return preparedAnswer(answer as WholeAnswer)
}

function unprepared({ lines: _, ...answer }: Answer): Answer {
  return answer
}
