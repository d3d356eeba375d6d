import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, test } from 'node:test'
import { packClients } from '../site/clients/client-packages.ts'
import { assertRefused, call } from './support/call.ts'
import { addressesOf, assertWellFormed, textOf } from './support/html.ts'
import { startTestService } from './support/service.ts'

// The clients that a service hands out. clients.servers.test.ts installs them with npm and pip.

const publicUrls = { production: 'https://animals.test/shop/v1' }
const service = await startTestService({ after }, { config: { publicUrls, anonymousPerMinute: 3 } })
const { typescript, python } = await packClients()
const PACKAGES = [
  { ...typescript, type: 'application/gzip' },
  { ...python, type: 'application/zip' },
]

test('the page has the lines to copy, with the public address, and the sum of each file', async () => {
  const page = await get('/clients/')
  assert.equal(page.status, 200)
  assertWellFormed(page.text)
  const text = textOf(page.text)
  assert.ok(text.includes(`npm install https://animals.test/shop/clients/${typescript.name}\n`.trim()), text)
  assert.ok(
    text.includes(`pip install 'https://animals.test/shop/clients/${python.name}#sha256=${python.sha256}'`),
    text,
  )
  for (const { name, sha256 } of PACKAGES) {
    assert.ok(text.includes(sha256), name)
    assert.ok(addressesOf(page.text).includes(name), name)
  }
})

test('a file is what was built, with its type and sum, and can be asked for again', async () => {
  for (const { name, type, sha256, content } of PACKAGES) {
    const answer = await get(`/clients/${name}`)
    assert.equal(answer.status, 200)
    assert.equal(hash('sha256', answer.body), sha256)
    assert.equal(answer.header('content-type'), type)
    assert.equal(answer.header('content-length'), String(content.length))
    assert.equal(answer.header('content-encoding'), undefined)
    assert.equal(answer.header('etag'), `"${sha256}"`)
    assert.equal(answer.header('x-content-type-options'), 'nosniff')
    const again = await get(`/clients/${name}`, { 'If-None-Match': `"${sha256}"` })
    assert.deepEqual([again.status, again.body.length, again.header('etag')], [304, 0, `"${sha256}"`])
    const head = await call(service, { method: 'HEAD', path: `/clients/${name}` })
    assert.deepEqual([head.status, head.header('content-length')], [200, String(content.length)])
    // A server may ignore ranges: the client then gets the whole file.
    const ranged = await get(`/clients/${name}`, { Range: 'bytes=1-2' })
    assert.deepEqual([ranged.status, hash('sha256', ranged.body)], [200, sha256])
    const posted = await call(service, { method: 'POST', path: `/clients/${name}`, body: '{}' })
    assertRefused(posted, 'method_not_allowed')
  }
})

test('getting a client is not counted, and works from an address that has used up its calls', async () => {
  const remaining = async (path: string) => Number((await get(path)).header('x-ratelimit-remaining'))
  service.clock.advance(60_000)
  assert.equal(await remaining('/docs'), 2)
  for (const path of ['/clients/', `/clients/${typescript.name}`, `/clients/${python.name}`])
    assert.equal(await remaining(path), 2, path)
  assert.equal(await remaining('/clients/petstore-client-0.0.1.tgz'), 1, 'what does not exist is counted')
  assert.equal(await remaining('/docs'), 0)
  assertRefused(await get('/docs'), 'rate_limit_exceeded')
  assert.equal((await get(`/clients/${typescript.name}`)).status, 200)
})

test('other names lead nowhere, however they are written', async () => {
  const stored = `${typescript.sha256}-${typescript.name}`
  for (const path of [
    '/clients/petstore-client-0.0.1.tgz',
    `/clients/${stored}`,
    `/clients/${typescript.name}/`,
    `/clients/${typescript.name.toUpperCase()}`,
    '/clients/index.html',
    '/clients/../package.json',
    '/clients/..%2fpackage.json',
    '/clients/%2e%2e/built.json',
    '/clients/..%5cbuilt.json',
    `/clients//${typescript.name}`,
    `/clients%2f${typescript.name}`,
  ]) {
    service.clock.advance(60_000)
    assertRefused(await get(path), 'route_not_found')
  }
})

test('the page is also found without the slash, which its links need', async () => {
  service.clock.advance(60_000)
  const answer = await get('/clients?from=guide')
  assert.deepEqual([answer.status, answer.header('location')], [301, 'clients/?from=guide'])
})

test('the home page, the reference, the guides, the page for unknown addresses and llms.txt lead there', async () => {
  for (const [path, address] of [
    ['/', 'clients/'],
    ['/docs', 'clients/'],
    ['/docs/guides', '../clients/'],
    ['/docs/guides/limits', '../../clients/'],
    ['/docs/guides/quick-start', 'https://animals.test/shop/clients/'],
    ['/nothing/here', '../clients/'],
  ] as const) {
    service.clock.advance(60_000)
    const page = await fetch(service.url + path, { headers: { Accept: 'text/html' } })
    assert.ok(addressesOf(await page.text()).includes(address), path)
  }
  service.clock.advance(60_000)
  const { text } = await get('/llms.txt')
  assert.ok(text.includes(`\`npm install https://animals.test/shop/clients/${typescript.name}\``))
  assert.ok(text.includes(`${python.name}#sha256=${python.sha256}'\``))
})

test('an address that a shell would take apart is quoted', async t => {
  const odd = await startTestService(t, { config: { publicUrls: { production: 'https://animals.test/a&b/v1' } } })
  const text = textOf((await call(odd, { path: '/clients/' })).text)
  assert.ok(text.includes(`npm install 'https://animals.test/a&b/'clients/${typescript.name}`))
})

function get(path: string, headers: Record<string, string> = {}) {
  return call(service, { path, headers })
}
