import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { chromium } from 'playwright-core'
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

/** Creates an animal, lists all, and continues until no calls remain. */
const SCRIPT = `import { NotFoundError, PetstoreClient, RateLimitError } from '@petstore/client'

const options = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
const { pets } = new PetstoreClient({ ...options, timeoutMs: 20_000 })
const show = text => document.querySelector('ul').append(Object.assign(document.createElement('li'), { textContent: text }))

await pets.create({ name: 'Rex', categoryId: 9223372036854775807n })
await pets.create({ name: 'Zoë 🐈', categoryId: -9223372036854775808n, status: 'pending' })
for await (const { id, name, categoryId, status } of pets.list({ limit: 1 })) show([id, name, categoryId, status].join(' '))
await pets.get(99).catch(error => show([error instanceof NotFoundError, error.code, error.requestId.length > 0].join(' ')))
try {
  await pets.list()
} catch (error) {
  show([error instanceof RateLimitError, error.code, Math.round((error.retryAt - Date.now()) / 1000) > 50].join(' '))
}
document.querySelector('output').textContent = 'done'
`

test('a page of another origin creates animals, iterates over pages and reads the limit', IN_BROWSER, async t => {
  const origin = await servePage(t, await buildClient(t))
  const service = await startTestService(t, { config: { corsOrigins: [origin] } })
  const { key } = await service.createCaller({ limits: { perMinute: 5 } })

  const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS })
  t.after(() => browser.close())
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('pageerror', error => complaints.push(error.message))
  await page.goto(`${origin}/#${new URLSearchParams({ apiKey: key, baseUrl: `${service.url}/v1` })}`)
  const done = page.locator('output', { hasText: 'done' }).waitFor()
  await Promise.race([done, page.waitForEvent('pageerror')])

  assert.deepEqual(complaints, [])
  assert.deepEqual(await page.getByRole('listitem').allTextContents(), [
    '1 Rex 9223372036854775807 available',
    '2 Zoë 🐈 -9223372036854775808 pending',
    'true pet_not_found true',
    'true rate_limit_exceeded true',
  ])
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
