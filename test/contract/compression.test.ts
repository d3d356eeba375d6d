import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { type Call, call, formatRequest, send } from '../support/call.ts'
import { createPet, createPets, petJson } from '../support/pets.ts'
import type { Answer } from '../support/raw.ts'
import { startTestService } from '../support/service.ts'

// Contract, "Compression".

const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync }
const CODINGS = ['br', 'zstd', 'gzip'] as const

const service = await startTestService({ after })
const { key } = await service.createCaller()
await createPets(service, key, 60)
const longName = '🦦'.repeat(255)
const large = { name: JSON.stringify(longName) }
const largePet = (await createPet(service, key, large)).json.id

const PATHS = { 'a page': '/v1/pets?limit=60', 'the last page': '/v1/pets?limit=100' }

function read(path: string, acceptEncoding: string, { method = 'GET', ...more }: Partial<Call> = {}): Promise<Answer> {
  const headers = { 'Accept-Encoding': acceptEncoding, ...more.headers }
  return send(service, formatRequest(service, { path, key, method, ...more, headers }))
}

for (const [what, path] of Object.entries(PATHS)) {
  for (const coding of CODINGS) {
    test(`${what} in ${coding} has the same content and its own tag; so do 304 and HEAD`, async () => {
      const plain = await call(service, { path, key })
      for (const time of ['first', 'cached']) {
        const coded = await read(path, coding)
        assert.equal(coded.status, 200, time)
        assert.equal(coded.header('content-encoding'), coding)
        assert.equal(coded.header('content-type'), 'application/json')
        assert.deepEqual(DECODERS[coding](coded.body), plain.body)
        assert.ok(coded.body.length < plain.body.length / 2)
        assert.match(coded.header('vary') ?? '', /Accept-Encoding/)
        assert.match(coded.header('etag') ?? '', /^"[^"]+"$/)
        assert.notEqual(coded.header('etag'), plain.header('etag'))
        assert.equal(coded.header('link'), plain.header('link'))

        const head = await read(path, coding, { method: 'HEAD' })
        for (const name of ['content-encoding', 'content-length', 'etag', 'vary', 'link']) {
          assert.equal(head.header(name), coded.header(name), name)
        }
        const unchanged = await read(path, coding, { headers: { 'If-None-Match': coded.header('etag') ?? '' } })
        assert.equal(unchanged.status, 304)
        assert.equal(unchanged.body.length, 0)
        assert.equal(unchanged.header('content-encoding'), undefined)
        assert.equal(unchanged.header('etag'), coded.header('etag'))
        assert.equal(unchanged.header('vary'), coded.header('vary'))
      }
    })
  }
}

test('each coding has a different tag, and a client that has any of them gets 304', async () => {
  const path = PATHS['a page']
  const tags = await Promise.all(['', ...CODINGS].map(async coding => (await read(path, coding)).header('etag') ?? ''))
  assert.equal(new Set(tags).size, tags.length)
  for (const tag of tags) {
    const unchanged = await read(path, 'br', { headers: { 'If-None-Match': `"other", W/${tag}` } })
    assert.equal(unchanged.status, 304)
    assert.equal(unchanged.header('etag'), tag)
  }
  assert.equal((await read(path, 'br', { headers: { 'If-None-Match': '"other"' } })).status, 200)
})

test('a new animal changes the last page in every coding', async t => {
  const own = await startTestService(t)
  const { key } = await own.createCaller()
  await createPets(own, key, 30)
  const request = { path: '/v1/pets?limit=100', key, headers: { 'Accept-Encoding': 'gzip' } }
  const before = await send(own, formatRequest(own, request))
  await createPet(own, key)
  const after = await send(own, formatRequest(own, request))
  assert.notEqual(after.header('etag'), before.header('etag'))
  assert.equal(JSON.parse(String(gunzipSync(after.body))).length, 31)
})

test('an animal of more than 1 KB is compressed as well', async () => {
  const coded = await read(`/v1/pets/${largePet}`, 'gzip')
  assert.equal(coded.header('content-encoding'), 'gzip')
  assert.equal(JSON.parse(String(gunzipSync(coded.body))).name, longName)
})

test('other responses are sent uncompressed', async t => {
  const plain: [what: string, request: Call, status: number][] = [
    ['a small page', { path: '/v1/pets?limit=1', key }, 200],
    ['an animal', { path: '/v1/pets/1', key }, 200],
    ['an error', { path: '/v1/pets?limit=0', key }, 400],
    ['a refusal', { path: '/v1/pets' }, 401],
    ['a new animal', { path: '/v1/pets', key, method: 'POST', body: petJson(large) }, 201],
  ]
  for (const [what, request, status] of plain) {
    await t.test(what, async () => {
      const answer = await send(
        service,
        formatRequest(service, { ...request, headers: { 'Accept-Encoding': 'br, gzip' } }),
      )
      assert.equal(answer.status, status)
      assert.equal(answer.header('content-encoding'), undefined)
      assert.doesNotThrow(() => answer.json)
    })
  }
})

test('a client that does not request a coding gets none, but still gets Vary', async () => {
  const answer = await call(service, { path: PATHS['a page'], key })
  assert.equal(answer.header('content-encoding'), undefined)
  assert.match(answer.header('vary') ?? '', /Accept-Encoding/)
  assert.equal(answer.json.length, 60)
})

test('a large page is compressed too, for many clients at once', async () => {
  for (let count = 0; count < 40; count++) await createPet(service, key, { ...large, status: '"sold"' })
  const path = '/v1/pets?limit=100&status=sold'
  const plain = await call(service, { path, key })
  assert.ok(plain.body.length > 20_000)
  const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => read(path, CODINGS[index % 3] as string)))
  for (const answer of answers) {
    const coding = answer.header('content-encoding') as (typeof CODINGS)[number] | undefined
    assert.deepEqual(coding === undefined ? answer.body : DECODERS[coding](answer.body), plain.body)
  }
  assert.equal((await read(path, 'zstd')).header('content-encoding'), 'zstd')
})
