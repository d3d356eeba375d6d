import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import manifest from '../../client/package.json' with { type: 'json' }
import { chromium, type Request } from '../../tools/playwright.ts'
import { buildClient } from '../support/packed-client.ts'
import { CHROMIUM, CHROMIUM_ARGS, IN_BROWSER } from '../support/servers/browser.ts'
import { startTestService } from '../support/service.ts'

// The built modules in a page of another origin, without a bundler.

const PAGE = `<!doctype html>
<title>A partner's page</title>
<script type="importmap">{ "imports": { "@petstore/client": "/client/index.js" } }</script>
<script type="module" src="/page.js"></script>
<ul></ul>
<output></output>`

/** Creates an animal, lists all, continues until no calls remain, and calls a service that does not list the origin. */
const SCRIPT = `import { NotFoundError, PetstoreClient, RateLimitError } from '@petstore/client'

const options = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
const client = new PetstoreClient({ ...options, timeoutMs: 20_000 })
const { pets } = client
const show = text => document.querySelector('ul').append(Object.assign(document.createElement('li'), { textContent: text }))

await pets.create({ name: 'Rex', categoryId: 9223372036854775807n })
await pets.create({ name: 'Zoë 🐈', categoryId: -9223372036854775808n, status: 'pending' })
for await (const { id, name, categoryId, status } of pets.list({ limit: 1 })) show([id, name, categoryId, status].join(' '))
await pets.get(99).catch(error => show([error instanceof NotFoundError, error.code, error.requestId.length > 0].join(' ')))
for (const name of ['first', 'again']) {
  await pets.list({ status: 'pending' })
  show(name + ' ' + client.rateLimit.remaining)
}
try {
  await pets.list()
} catch (error) {
  show([error instanceof RateLimitError, error.code, Math.round((error.retryAt - Date.now()) / 1000) > 50].join(' '))
}
const elsewhere = new PetstoreClient({ ...options, baseUrl: options.elsewhere })
await elsewhere.pets.list().catch(({ message }) => show('refused elsewhere: ' + message.includes(location.origin)))
document.querySelector('output').textContent = 'done'
`

test('a page of another origin creates animals, iterates over pages and reads the limit', IN_BROWSER, async t => {
  const origin = await servePage(t, await buildClient(t))
  const service = await startTestService(t, { config: { corsOrigins: [origin] } })
  const { key } = await service.createCaller({ limits: { perMinute: 7 } })

  const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS })
  t.after(() => browser.close())
  const page = await browser.newPage()
  const calls: Request[] = []
  page.on('request', request => {
    if (request.url().startsWith(service.url)) calls.push(request)
  })
  const complaints: string[] = []
  page.on('pageerror', error => complaints.push(error.message))
  const elsewhere = `${(await startTestService(t)).url}/v1`
  await page.goto(`${origin}/#${new URLSearchParams({ apiKey: key, baseUrl: `${service.url}/v1`, elsewhere })}`)
  const done = page.locator('output', { hasText: 'done' }).waitFor()
  await Promise.race([done, page.waitForEvent('pageerror')])

  assert.deepEqual(complaints, [])
  assert.deepEqual(await page.getByRole('listitem').allTextContents(), [
    '1 Rex 9223372036854775807 available',
    '2 Zoë 🐈 -9223372036854775808 pending',
    'true pet_not_found true',
    'first 1',
    'again 0',
    'true rate_limit_exceeded true',
    'refused elsewhere: true',
  ])

  assert.equal(calls.length, 7)
  for (const call of calls) {
    const headers = await call.allHeaders()
    assert.equal(headers['x-petstore-client'], `petstore-client-js/${manifest.version}`)
    assert.match(headers['user-agent'] ?? '', /^Mozilla/)
  }
  const kinds = new Set(calls.map(call => `${call.method()} ${call.url()}`))
  assert.equal(kinds.size, 5)
  assert.equal(logged('"method":"OPTIONS"'), kinds.size, 'the browser remembers a preflight by method and address')
  assert.equal(logged('"status":304'), 1, 'an unchanged page is not transferred again')

  function logged(part: string): number {
    return service.logs.filter(line => line.includes(part)).length
  }
})

/** Serves the page and the client's modules as files. @returns the origin */
async function servePage(t: TestContext, modules: string): Promise<string> {
  const server = createServer(async ({ url = '/' }, response) => {
    const name = /^\/client\/([a-z0-9-]+\.js)$/.exec(url)?.[1]
    if (url === '/') send(response, 'text/html', PAGE)
    else if (url === '/page.js') send(response, 'text/javascript', SCRIPT)
    else if (name !== undefined) send(response, 'text/javascript', await readFile(join(modules, name), 'utf8'))
    else response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function send(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(text)
}
