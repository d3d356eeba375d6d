import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { GUIDES } from '../site/guides/guides.ts'
import { addressesOf, assertWellFormed, textOf } from './support/html.ts'
import { startOperatorService } from './support/operator.ts'
import { startTestService } from './support/service.ts'

// A browser that opens any address of either listener gets a helpful page; programs get JSON, as everywhere else.

/** The headers that browsers send when someone opens an address. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'
const publicUrls = { production: 'https://animals.test/shop/v1' }
const service = await startOperatorService({ after }, { config: { publicUrls } })

const LISTENERS = [
  {
    name: 'public',
    url: service.url,
    api: '/v1',
    title: 'Petstore API',
    leadsTo: ['docs', 'docs/guides', 'clients/', 'openapi.json', 'llms.txt'],
  },
  {
    name: "operators'",
    url: service.operatorUrl,
    api: '/admin/v1',
    title: 'Petstore for operators',
    leadsTo: ['console', 'docs', 'docs/guides', 'readyz', 'livez', 'metrics', 'openapi.json'],
  },
]

for (const { name, url, api, title, leadsTo } of LISTENERS) {
  describe(`on the ${name} listener`, () => {
    test('a browser gets a page at the root that links to everything', async () => {
      const page = await open(url, '/')
      assert.equal(page.status, 200)
      assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.match(page.text, new RegExp(`<title>${title}</title>`))
      assert.match(page.text, new RegExp(`<h1>${title}</h1>`))
      assertWellFormed(page.text)
      const addresses = addressesOf(page.text)
      for (const path of leadsTo) assert.ok(addresses.includes(path), path)
      for (const address of addresses.filter(one => !one.startsWith('#'))) {
        assert.equal((await open(url, `/${address}`)).status, 200, address)
      }
    })

    test('a program gets 404 as JSON at the root, whatever it accepts other than HTML', async () => {
      for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5', 'text/html;q=0']) {
        const answer = await open(url, '/', accept)
        assert.equal(answer.status, 404, accept)
        assert.equal(JSON.parse(answer.text).code, 'route_not_found')
        assert.deepEqual(cachingOf(answer), ['Accept', 'no-cache'])
      }
      assert.equal((await open(url, '/', 'application/json, Text/HTML')).status, 200, 'if it accepts HTML as much')
      const posted = await fetch(url, { method: 'POST', headers: { Accept: BROWSER } })
      assert.equal(posted.status, 405)
      assert.equal(posted.headers.get('allow'), 'GET, HEAD, OPTIONS')
    })

    test('a browser gets a not-found page, whose links work at any depth', async () => {
      const paths = [
        '/nothing',
        '/404',
        '/docs/guides/limts',
        '/docs/guides/limits/x',
        '/a//b/',
        `/${'x/'.repeat(16)}y`,
        `/${'x/'.repeat(4_000)}`,
      ]
      for (const path of paths) {
        const page = await open(url, path)
        assert.equal(page.status, 404)
        assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
        assert.deepEqual(cachingOf(page), ['Accept', 'no-cache'])
        assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'/)
        assert.match(page.text, /<h1>Page not found<\/h1>/)
        assertWellFormed(page.text)
        assert.ok(page.text.length < 10_000, `${page.text.length} characters`)
        // A path this deep is more likely an attack than a page behind a proxy.
        const prefix = path.split('/').length > 17 ? '' : '/shop'
        const base = url + prefix + path
        const found = new Set(addressesOf(page.text).map(address => new URL(address, base).pathname))
        for (const own of ['/', '/docs', '/docs/pages.css'])
          assert.ok(found.has(prefix + own), `${path} leads to ${own}`)
        const program = await open(url, path, '*/*')
        assert.equal(JSON.parse(program.text).code, 'route_not_found')
        assert.deepEqual(cachingOf(program), ['Accept', 'no-cache'])
      }
      const head = await fetch(`${url}/nothing`, { method: 'HEAD', headers: { Accept: BROWSER } })
      assert.equal(head.status, 404)
      assert.equal(head.headers.get('content-type'), 'text/html; charset=utf-8')
      const posted = await fetch(`${url}/nothing`, { method: 'POST', headers: { Accept: BROWSER } })
      assert.equal(posted.headers.get('content-type'), 'application/json')
    })

    test('a page with an extra slash redirects to the page, also under a path prefix', async () => {
      const pages =
        name === 'public' ? ['/docs', '/docs/guides', ...GUIDES.map(guide => `/docs/guides/${guide}`)] : ['/docs']
      for (const page of pages) {
        const answer = await open(url, `${page}/?x=%2F&y`, '*/*')
        assert.equal(answer.status, 301)
        assert.equal(answer.headers.get('cache-control'), 'no-cache')
        const location = answer.headers.get('location') ?? ''
        for (const prefix of ['', '/shop']) {
          const { href } = new URL(location, `${url}${prefix}${page}/?x=%2F&y`)
          assert.equal(href, `${url}${prefix}${page}?x=%2F&y`)
        }
      }
      assert.equal((await open(url, '/docs//')).status, 404)
      assert.equal((await open(url, '/openapi.json/')).status, 404)
    })

    test('every page has the icon, and browsers also find it at the default path', async () => {
      const icon = addressesOf((await open(url, '/docs')).text).find(address => address.includes('icon.svg')) ?? ''
      assert.equal((await open(url, `/${icon}`)).headers.get('content-type'), 'image/svg+xml')
      const favicon = await fetch(`${url}/favicon.ico`)
      assert.equal(favicon.status, 200)
      assert.equal(favicon.headers.get('content-type'), 'image/x-icon')
      const bytes = Buffer.from(await favicon.arrayBuffer())
      assert.deepEqual([...bytes.subarray(0, 4)], [0, 0, 1, 0], 'an icon file')
    })

    test('the API answers browsers with JSON, and never redirects', async () => {
      for (const path of ['', '/', '/pets/', '/nothing']) {
        const answer = await open(url, api + path)
        assert.ok([401, 404].includes(answer.status), `${path}: ${answer.status}`)
        assert.equal(answer.headers.get('content-type'), 'application/json', path)
        assert.equal(answer.headers.get('location'), null)
      }
    })
  })
}

test('the landing page has the base address and a first call to copy', async () => {
  const { text } = await open(service.url, '/')
  const code = [...text.matchAll(/<pre tabindex="0"><code>(.*?)<\/code>/gs)].map(([, html = '']) => textOf(html))
  assert.equal(code[0], 'https://animals.test/shop/v1')
  assert.match(code[1] ?? '', /^export PETSTORE_URL=https:\/\/animals\.test\/shop\/v1\n/)
  assert.match(code[1] ?? '', /^curl .*"\$PETSTORE_URL\/pets\?limit=2"/m)
})

test('the base address is quoted for a shell if necessary', async t => {
  const { url } = await startTestService(t, { config: { publicUrls: { production: `https://animals.test/a&b's/v1` } } })
  const { text } = await open(url, '/')
  assert.ok(textOf(text).includes(String.raw`export PETSTORE_URL='https://animals.test/a&b'\''s/v1'`))
})

test('the landing page points to staging for trying things out', async t => {
  const both = { ...publicUrls, staging: 'https://try.animals.test/v1' }
  const start = (deployment: 'production' | 'staging') =>
    startTestService(t, { config: { deployment, publicUrls: both } })
  const production = await open((await start('production')).url, '/')
  assert.match(production.text, /To try things out, use <a href="https:\/\/try\.animals\.test\/">staging<\/a>/)
  const staging = await open((await start('staging')).url, '/')
  assert.match(staging.text, /This is <a href="docs\/guides\/staging">staging<\/a>/)
  assert.doesNotMatch((await open(service.url, '/')).text, /class="hint"/, 'whose address is not known')
})

test('programs can read every guide as Markdown, with the addresses of this service, and find it in llms.txt', async () => {
  const overview = await fetch(`${service.url}/llms.txt`)
  assert.equal(overview.headers.get('content-type'), 'text/plain; charset=utf-8')
  const list = await overview.text()
  assert.match(list, /^# Petstore API\n\n> /)
  for (const name of GUIDES) {
    assert.ok(list.includes(`(https://animals.test/shop/docs/guides/${name}.md)`), name)
    const answer = await fetch(`${service.url}/docs/guides/${name}.md`)
    assert.equal(answer.headers.get('content-type'), 'text/markdown; charset=utf-8')
    const markdown = await answer.text()
    const page = (await open(service.url, `/docs/guides/${name}`)).text
    const title = /^# (.+)\n/.exec(markdown)?.[1]
    assert.ok(title && page.includes(`<h1>${title}</h1>`), 'it is the same guide')
    assert.doesNotMatch(markdown, /https:\/\/petstore\.example/)
    assert.ok(page.includes(`<link rel="alternate" type="text/markdown" href="${name}.md">`))
    assert.ok(page.includes(`<a href="${name}.md">This page as Markdown</a>`))
    for (const [, link = ''] of markdown.matchAll(/\]\((\w[\w.-]*)(?:#.*?)?\)/g)) {
      assert.equal((await fetch(new URL(link, `${service.url}/docs/guides/`))).status, 200, link)
    }
  }
})

async function open(url: string, path: string, accept = BROWSER) {
  const response = await fetch(url + path, { headers: { Accept: accept }, redirect: 'manual' })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

function cachingOf({ headers }: { headers: Headers }): (string | null)[] {
  return [headers.get('vary'), headers.get('cache-control')]
}
