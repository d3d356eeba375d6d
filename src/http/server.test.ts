import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { jsonAnswer } from './answer.ts'
import { Call } from './call.ts'
import { Listener } from './listener.ts'
import { type Api, serveCalls } from './server.ts'

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const OK = jsonAnswer(200, '{}', [])

const API: Api<Call> = {
  Call,
  answer: () => OK,
  headersOf: () => [],
  onIncomplete: (_, refusal, refuse) => refuse(refusal),
  onUnparsed: (_, refusal) => ({ refusal, headers: [] }),
}

const failures: [what: string, api: Partial<Api<Call>>][] = [
  ['an answer whose header cannot be sent', { answer: () => ({ ...OK, headers: ['X-Bad', 'a\nb'] }) }],
  ['headers that cannot be made', { headersOf: () => fail() }],
  ['headers that cannot be made in time', { headersOf: async () => fail() }],
]

for (const [what, failing] of failures) {
  test(`${what} end their connection, and no other; the call is reported once`, async t => {
    let isFailing = true
    const { send, answered, errors } = await serve(t, {
      ...API,
      ...Object.fromEntries(
        Object.entries(failing).map(([name, fails]) => [
          name,
          (...of: []) => (isFailing ? (fails as (...of: []) => unknown)(...of) : name === 'answer' ? OK : []),
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

test('a refusal that cannot be given ends its connection, and no other', async t => {
  const { send, errors } = await serve(t, { ...API, onUnparsed: () => fail() })
  assert.equal(await send('nonsense\r\n\r\n'), '')
  assert.equal(await send('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'), '')
  assert.equal(errors.length, 2)
  assert.match(await send(GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')), /^HTTP\/1\.1 200 /)
})

function fail(): never {
  throw new Error('as a test wishes')
}

async function serve(t: TestContext, api: Api<Call>) {
  const listener = new Listener()
  const answered: (number | undefined)[] = []
  const errors: string[] = []
  serveCalls(listener, {
    api,
    log: pino({ level: 'error' }, { write: line => void errors.push(line) }),
    onAnswered: (_, status) => void answered.push(status),
    isStopping: () => false,
    now: Date.now,
  })
  const port = Number(new URL(await listener.open('127.0.0.1', 0)).port)
  t.after(() => listener.close())

  /** Sends these bytes, and gives what comes back until the connection ends. */
  async function send(bytes: string): Promise<string> {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1')
    let received = ''
    socket.on('data', text => {
      received += text
    })
    socket.write(bytes)
    await once(socket, 'close')
    return received
  }
  return { send, answered, errors }
}
