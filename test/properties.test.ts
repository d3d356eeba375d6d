import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { INT64_MAX, INT64_MIN, isInt64 } from '../src/domain/int64.ts'
import { type Call, connect, formatRequest } from './support/call.ts'
import { ROUNDS } from './support/duration-factor.ts'
import { createPet, createPets, petJson, readLinks } from './support/pets.ts'
import { processorMs } from './support/processor.ts'
import type { Answer, Connection } from './support/raw.ts'
import { startTestService } from './support/service.ts'
import { anyText } from './support/text.ts'

// Whatever is sent: no 5xx, no silence, no answer without its headers (each answer is checked against the contract).

const service = await startTestService({ after }, { config: { anonymousPerMinute: 1_000_000_000 } })
const { key } = await service.createCaller()
await createPets(service, key, 5)

const post = (body: string | Uint8Array) => answerTo({ method: 'POST', path: '/v1/pets', key, body })

/** Shared by all properties until the service closes it. */
let shared: Promise<Connection> | undefined

async function answerTo(request: Call): Promise<Answer> {
  shared ??= connect(service)
  const connection = await shared
  try {
    connection.write(formatRequest(service, request))
    const answer = await connection.answer(request.method)
    assert.ok(answer.status < 500, `${answer.status} ${answer.text}`)
    if (answer.header('connection') === 'close') leave(connection)
    return answer
  } catch (error) {
    leave(connection)
    throw error
  }
}

function leave(connection: Connection): void {
  connection.destroy()
  shared = undefined
}

const int64 = fc.oneof(
  fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
  fc.bigInt({ min: -20n, max: 20n }),
  fc.constantFrom(INT64_MIN, INT64_MAX, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 10n ** 18n, -(10n ** 18n)),
)

/** The digits of an integer, moved behind a point and back by an exponent: another spelling of the same number. */
const spelling = fc.record({
  value: int64,
  shift: fc.integer({ min: -40, max: 40 }),
  padding: fc.integer({ min: 0, max: 30 }),
  letter: fc.constantFrom('e', 'E'),
  plus: fc.constantFrom('', '+'),
})

function spell({ value, shift, padding, letter, plus }: { value: bigint } & Record<string, unknown>): string {
  const sign = value < 0n ? '-' : ''
  const digits = String(value < 0n ? -value : value)
  const places = Number(shift)
  if (places <= 0) {
    // Digits with zeros behind them, taken back by the exponent.
    const zeros = '0'.repeat(-places)
    const fraction = Number(padding) > 0 ? `.${'0'.repeat(Number(padding))}` : ''
    return `${sign}${digits}${value === 0n ? '' : zeros}${fraction}${places === 0 ? '' : `${letter}${value === 0n ? '-9' : places}`}`
  }
  const padded = digits.padStart(places + 1, '0')
  const fraction = `${padded.slice(-places)}${'0'.repeat(Number(padding))}`
  return `${sign}${padded.slice(0, -places)}.${fraction}${letter}${plus}${places}`
}

test('every spelling of an int64 is that int64, digit for digit', async () => {
  await fc.assert(
    fc.asyncProperty(spelling, async parts => {
      const answer = await post(petJson({ categoryId: spell(parts) }))
      assert.equal(answer.status, 201, answer.text)
      assert.equal(/"categoryId":(-?[0-9]+)/.exec(answer.text)?.[1], String(parts.value))
      const read = await answerTo({ path: `/v1/pets/${answer.json.id}`, key })
      assert.deepEqual(read.body, answer.body)
    }),
    { numRuns: 100 * ROUNDS },
  )
})

test('every integer that no int64 can hold, and every number that is no integer, is 400', async () => {
  const beyond = fc
    .bigInt({ min: -(10n ** 40n), max: 10n ** 40n })
    .filter(value => !isInt64(value))
    .map(String)
  const fractional = fc
    .tuple(int64, fc.stringMatching(/^[0-9]{0,20}[1-9]$/), fc.integer({ min: -30, max: 0 }))
    .map(([whole, fraction, exponent]) => `${whole}.${fraction}e${exponent}`)
  await fc.assert(
    fc.asyncProperty(fc.oneof(beyond, fractional), async categoryId => {
      const answer = await post(petJson({ categoryId }))
      assert.equal(answer.json.code, 'invalid_body', answer.text)
    }),
    { numRuns: 100 * ROUNDS },
  )
})

test('no number takes long to refuse or to parse, however hostile', async () => {
  const digits = fc.oneof(
    fc.integer({ min: 1, max: 60_000 }).map(length => '9'.repeat(length)),
    fc.integer({ min: 1, max: 60_000 }).map(length => `1${'0'.repeat(length)}`),
    fc.integer({ min: 1, max: 30_000 }).map(length => `1${'0'.repeat(length)}1${'0'.repeat(length)}1`),
  )
  const fraction = fc.oneof(
    fc.constant(''),
    fc.integer({ min: 1, max: 4_000 }).map(length => `.${'0'.repeat(length)}1`),
    fc.integer({ min: 1, max: 4_000 }).map(length => `.${'0'.repeat(length)}`),
  )
  const exponent = fc.oneof(
    fc.constant(''),
    fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }).map(value => `e${value}`),
  )
  await fc.assert(
    fc.asyncProperty(digits, fraction, exponent, async (...parts) => {
      const usedMs = await processorMs(async () => {
        const { status } = await post(petJson({ categoryId: parts.join('') }))
        assert.ok(status === 201 || status === 400)
      })
      assert.ok(usedMs < 500, `${usedMs} ms`)
    }),
    { numRuns: 60 * ROUNDS, endOnFailure: true },
  )
})

const texts = fc.oneof(
  anyText({ maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.string({ unit: fc.constantFrom(' ', '\u00a0', '\u3000', 'x'), maxLength: 4 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map(code => String.fromCharCode(code)), maxLength: 5 }),
  fc.integer({ min: 250, max: 260 }).map(length => '🐈'.repeat(length)),
)

test('a name is kept byte for byte or refused, as the rule says', async () => {
  await fc.assert(
    fc.asyncProperty(texts, async name => {
      const answer = await post(petJson({ name: JSON.stringify(name) }))
      assert.equal(answer.status, isName(name) ? 201 : 400, `${JSON.stringify(name)}: ${answer.text}`)
      if (answer.status === 201) assert.equal(answer.json.name, name)
    }),
    { numRuns: 250 * ROUNDS },
  )
})

test('a cursor that the service did not make is 400', async () => {
  await createPet(service, key)
  const page = await answerTo({ path: '/v1/pets?limit=2', key })
  const real = new URL(readLinks(page).next ?? '').searchParams.get('cursor') ?? ''
  const altered = fc
    .tuple(fc.nat({ max: real.length - 1 }), fc.nat({ max: 3 }), fc.string({ maxLength: 3 }))
    .map(([at, removed, inserted]) => real.slice(0, at) + inserted + real.slice(at + removed))
  const invented = fc.oneof(
    fc.string({ minLength: 1, maxLength: 60 }),
    fc.base64String({ minLength: 1, maxLength: 60 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.oneof(altered, invented, texts), async cursor => {
      fc.pre(cursor !== real && cursor !== '' && cursor.isWellFormed())
      const answer = await answerTo({ path: `/v1/pets?limit=2&cursor=${encodeURIComponent(cursor)}`, key })
      assert.equal(answer.json.code, 'invalid_cursor', answer.text)
    }),
    { numRuns: 150 * ROUNDS },
  )
})

test('limit and status are understood exactly or refused', async () => {
  const value = fc.oneof(
    fc.integer({ min: -5, max: 120 }).map(String),
    fc.constantFrom('available', 'pending', 'sold', 'Sold', ''),
    fc.string({ maxLength: 6 }),
  )
  await fc.assert(
    fc.asyncProperty(value, value, async (limit, status) => {
      const query = `limit=${encodeURIComponent(limit)}&status=${encodeURIComponent(status)}`
      const answer = await answerTo({ path: `/v1/pets?${query}`, key })
      const lawful = /^(?:[1-9][0-9]?|100)$/.test(limit) && ['available', 'pending', 'sold'].includes(status)
      assert.equal(answer.status, lawful ? 200 : 400, answer.text)
    }),
    { numRuns: 150 * ROUNDS },
  )
})

const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map(code => String.fromCharCode(code)) })

test('whatever the request target, the call is answered, and never by a 5xx', async () => {
  const target = fc.oneof(
    visible.map(text => `/${text}`),
    visible.map(text => `/v1/${text}`),
    visible.map(text => `/v1/pets/${text}`),
    visible.map(text => `/v1/pets?${text}`),
    visible.filter(text => text !== ''),
    fc.webUrl({ withQueryParameters: true }),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(id => `/v1/pets/${id}`),
  )
  const method = fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'DELETE', 'PATCH')
  await fc.assert(
    fc.asyncProperty(method, target, fc.boolean(), async (method, path, withKey) => {
      await answerTo({ method, path, key: withKey ? key : undefined })
    }),
    { numRuns: 350 * ROUNDS },
  )
})

test('whatever a header contains, the call is answered, and never by a 5xx', async () => {
  const name = fc.constantFrom(
    'Authorization',
    'If-None-Match',
    'X-Request-Id',
    'Idempotency-Key',
    'Content-Type',
    'Content-Encoding',
    'Content-Length',
    'Transfer-Encoding',
    'Expect',
    'Host',
    'Origin',
    'Access-Control-Request-Method',
    'Access-Control-Request-Headers',
    'Accept',
    'Accept-Encoding',
    'Range',
    'Connection',
    'Upgrade',
    'X-Forwarded-For',
    'Forwarded',
    'Cookie',
    'Date',
    '__proto__',
  )
  const latin1 = fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter(code => code !== 0x7f)
      .map(code => String.fromCharCode(code)),
  })
  const telling = fc.constantFrom('*', '"a"', 'W/"a", *', 'Bearer', `Bearer ${key}`, 'chunked', 'close', 'keep-alive')
  const header = fc.tuple(name, fc.oneof(latin1, telling, visible))
  await fc.assert(
    fc.asyncProperty(fc.array(header, { maxLength: 5 }), fc.boolean(), async (headers, creates) => {
      const request = creates
        ? { method: 'POST', path: '/v1/pets', key, headers, body: petJson() }
        : { path: '/v1/pets', key, headers }
      await bytesAreAnswered(formatRequest(service, request))
    }),
    { numRuns: 250 * ROUNDS },
  )
})

test('whatever the body, it makes an animal or is refused with 400', async () => {
  const member = fc.oneof(fc.constantFrom('name', 'categoryId', 'status', 'id', '__proto__', 'toString'), fc.string())
  const object = fc.dictionary(member, fc.jsonValue({ maxDepth: 3 })).map(value => JSON.stringify(value))
  const altered = fc
    .tuple(fc.constant(petJson({ status: '"sold"' })), fc.nat(), fc.nat({ max: 4 }), fc.string({ maxLength: 4 }))
    .map(([text, position, removed, inserted]) => {
      const at = position % text.length
      return text.slice(0, at) + inserted + text.slice(at + removed)
    })
  const body = fc.oneof(
    object.map(text => Buffer.from(text)),
    fc.json().map(text => Buffer.from(text)),
    altered.map(text => Buffer.from(text)),
    fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
    fc
      .string({ unit: fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '1', 'a', '\\', ' ') })
      .map(text => Buffer.from(text)),
  )
  await fc.assert(
    fc.asyncProperty(body, async bytes => {
      const answer = await post(bytes)
      assert.ok(answer.status === 201 || answer.status === 400, answer.text)
      if (!isJson(bytes)) assert.equal(answer.json.code, 'invalid_json')
    }),
    { numRuns: 500 * ROUNDS },
  )
})

test('whatever bytes arrive, the service responds with HTTP or ends the connection', async () => {
  const whole = formatRequest(service, { method: 'POST', path: '/v1/pets?x=1', key, body: petJson() })
  const altered = fc
    .array(fc.tuple(fc.nat({ max: whole.length }), fc.nat({ max: 3 }), fc.uint8Array({ maxLength: 3 })), {
      minLength: 1,
      maxLength: 4,
    })
    .map(changes =>
      changes.reduce(
        (bytes, [at, removed, inserted]) =>
          Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removed)]),
        whole,
      ),
    )
  const words = fc
    .array(
      fc.constantFrom(
        'GET ',
        'POST ',
        '/v1/pets',
        ' HTTP/1.1',
        '\r\n',
        '\r\n\r\n',
        'Host: x',
        ': ',
        'Content-Length: 5',
        '\n',
        '0',
      ),
    )
    .map(parts => Buffer.from(parts.join('')))
  const noise = fc.uint8Array({ minLength: 1, maxLength: 300 }).map(bytes => Buffer.from(bytes))
  const cut = fc.nat({ max: whole.length }).map(length => whole.subarray(0, length))
  const several = fc.tuple(altered, altered).map(pair => Buffer.concat(pair))
  await fc.assert(fc.asyncProperty(fc.oneof(altered, words, noise, cut, several), bytesAreAnswered), {
    numRuns: 500 * ROUNDS,
  })
})

test('a call has the same result however its bytes are split', async () => {
  const connection = await connect(service)
  const request = formatRequest(service, { method: 'POST', path: '/v1/pets', key, body: petJson({ name: '"Zoë 🐈"' }) })
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: request.length - 1 }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(cuts, async cuts => {
      let from = 0
      for (const to of [...cuts.toSorted((one, other) => one - other), request.length]) {
        connection.write(request.subarray(from, to))
        from = to
        await new Promise(setImmediate)
      }
      const answer = await connection.answer('POST')
      assert.equal(answer.status, 201)
      assert.equal(answer.json.name, 'Zoë 🐈')
    }),
    { numRuns: 60 * ROUNDS },
  )
})

/** Sends the bytes and no more; whatever comes back must be answers, and the connection must end. */
async function bytesAreAnswered(bytes: Uint8Array): Promise<void> {
  const connection = await connect(service)
  try {
    connection.write(bytes)
    connection.end()
    for (const answer of await connection.answersUntilEnd()) {
      assert.ok(answer.status < 500, `${answer.status} ${answer.text}`)
    }
  } finally {
    connection.destroy()
    service.connections.delete(connection)
  }
}

function isName(text: string): boolean {
  const length = [...text].length
  return text.isWellFormed() && length >= 1 && length <= 255 && text.trim() !== '' && !/\p{Cc}/u.test(text)
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
    return true
  } catch {
    return false
  }
}
