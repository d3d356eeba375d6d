import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { call } from './support/call.ts'
import { addressesOf, assertWellFormed, idsOf, textOf } from './support/html.ts'
import { startOperatorService } from './support/operator.ts'
import { startTestService } from './support/service.ts'

// The reference of both APIs without a browser; docs-page.servers.test.ts opens it in one.

const publicUrls = { production: 'https://api.petstore.test/v1', staging: 'https://staging.petstore.test/v1' }
const service = await startOperatorService({ after }, { config: { publicUrls } })

const FILES: [path: string, type: string][] = [
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/icon.svg', 'image/svg+xml'],
  ['/docs/pages.css', 'text/css; charset=utf-8'],
  ['/docs/theme.js', 'text/javascript; charset=utf-8'],
  ['/docs/samples.js', 'text/javascript; charset=utf-8'],
  ['/docs/search.js', 'text/javascript; charset=utf-8'],
  ['/docs/contents.js', 'text/javascript; charset=utf-8'],
  ['/docs/console.js', 'text/javascript; charset=utf-8'],
  ['/docs/minisearch.js', 'text/javascript; charset=utf-8'],
  ['/docs/search.json', 'application/json'],
  ['/openapi.json', 'application/json'],
]

test('the page and what it loads are served with their types, to be revalidated', async t => {
  for (const [path, type] of FILES) {
    await t.test(path, async () => {
      const answer = await call(service, { path })
      assert.equal(answer.status, 200)
      assert.equal(answer.header('content-type'), type)
      assert.equal(answer.header('x-content-type-options'), 'nosniff')
      assert.equal(answer.header('cache-control'), 'no-cache')
      assert.equal(answer.header('vary'), 'Accept-Encoding')
      const again = await call(service, { path, headers: { 'If-None-Match': answer.header('etag') ?? '' } })
      assert.equal(again.status, 304)
      assert.equal(again.body.length, 0)
    })
  }
})

test('the files of the page may be cached by their URL', async () => {
  const { text } = await call(service, { path: '/docs' })
  const loaded = new Set(addressesOf(text).filter(address => address.includes('?')))
  assert.deepEqual(
    [...loaded].map(address => `/${address.split('?')[0]}`).toSorted(),
    FILES.map(([path]) => path)
      .filter(path => path.startsWith('/docs/'))
      .toSorted(),
  )
  for (const address of loaded) {
    const answer = await call(service, { path: `/${address}` })
    assert.equal(answer.header('cache-control'), 'public, max-age=31536000, immutable', address)
  }
})

test('everything is sent in the best encoding that the client accepts, each with its own entity tag', async t => {
  const plain = await call(service, { path: '/docs' })
  const offers: [accepted: string, encoding: string | undefined, decode: (body: Buffer) => Buffer][] = [
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
    ['GZIP', 'gzip', gunzipSync],
    ['deflate', undefined, body => body],
    ['', undefined, body => body],
  ]
  for (const [accepted, encoding, decode] of offers) {
    await t.test(accepted || '(none)', async () => {
      const answer = await call(service, { path: '/docs', headers: { 'Accept-Encoding': accepted } })
      assert.equal(answer.header('content-encoding'), encoding)
      assert.equal(decode(answer.body).toString(), plain.text)
      assert.equal(answer.header('etag') === plain.header('etag'), encoding === undefined)
    })
  }
})

for (const { name, url, client } of [
  { name: 'public API', url: service.url, client: true },
  { name: 'admin API', url: service.operatorUrl, client: false },
]) {
  describe(`the reference of the ${name}`, async () => {
    // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked, not modelled
    let document: any
    let html = ''
    let text = ''
    const operations = () =>
      // biome-ignore lint/suspicious/noExplicitAny: see above
      Object.entries<any>(document.paths).flatMap(([path, methods]) =>
        // biome-ignore lint/suspicious/noExplicitAny: see above
        Object.entries<any>(methods).map(([method, operation]) => ({
          path,
          method: method.toUpperCase(),
          ...operation,
        })),
      )

    test('is well formed, and refers to nothing inline and to no other host', async () => {
      document = await (await fetch(`${url}/openapi.json`)).json()
      const page = await fetch(`${url}/docs`)
      html = await page.text()
      text = textOf(html)
      assertWellFormed(html)
      assert.doesNotMatch(html, /<script(?![^>]* src=)|<style| style=| on[a-z]+=/, 'nothing inline')
      for (const address of addressesOf(html)) assert.doesNotMatch(address, /^(?:[a-z]+:)?\/\//)
      const policy = page.headers.get('content-security-policy') ?? ''
      assert.doesNotMatch(policy, /unsafe|data:|http|\*/)
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ]) {
        assert.ok(policy.split('; ').includes(rule), rule)
      }
      assert.equal(page.headers.get('x-content-type-options'), 'nosniff')
    })

    test('has every operation with its inputs and responses, without a script', () => {
      assert.ok(operations().length >= 3)
      for (const { operationId, path, method, parameters = [], responses, description, summary } of operations()) {
        const section = sectionOf(html, operationId)
        assert.match(section, new RegExp(`<span class="method ${method.toLowerCase()}">${method}</span>`))
        const own = textOf(section)
        for (const part of [path, summary, plain(description)]) assert.ok(own.includes(part), `${operationId}: ${part}`)
        for (const parameter of parameters) {
          const { name, description } = resolve(document, parameter)
          for (const part of [name, plain(description ?? '')]) assert.ok(own.includes(part), `${operationId}: ${part}`)
        }
        for (const [status, response] of Object.entries(responses)) {
          for (const part of [status, plain(resolve(document, response).description)]) {
            assert.ok(own.includes(part), `${operationId}: ${part}`)
          }
        }
      }
    })

    test('has every schema with its members, and every link has a target', () => {
      const ids = idsOf(html)
      // biome-ignore lint/suspicious/noExplicitAny: see above
      for (const [schema, { properties = {}, description = '' }] of Object.entries<any>(document.components.schemas)) {
        assert.ok(ids.includes(`schema-${schema}`))
        assert.ok(text.includes(plain(description)))
        for (const member of Object.keys(properties)) assert.ok(html.includes(`<code class="member">${member}</code>`))
      }
      for (const address of addressesOf(html).filter(one => one.startsWith('#'))) {
        assert.ok(ids.includes(address.slice(1)), address)
      }
    })

    test('has complete samples, with the client before curl and Python where there is one', () => {
      for (const { operationId } of operations()) {
        const section = sectionOf(html, operationId)
        const [group = ''] = /<div class="samples">.*?<\/div>/s.exec(section) ?? []
        const languages = [...group.matchAll(/data-language="(\w+)"/g)].map(match => match[1])
        assert.deepEqual(languages, client ? ['ts', 'python', 'sh'] : ['sh', 'python'], operationId)
        assert.doesNotMatch(textOf(group), /undefined|\{\w+Id\}|: ""|: ''/, operationId)
        for (const [, code = ''] of group.matchAll(/<code>(.*?)<\/code>/gs)) {
          for (const line of textOf(code).split('\n')) assert.ok(line.length <= 84, line)
        }
      }
    })

    test('has what applies to all operations', () => {
      for (const [, heading = ''] of document.info.description.matchAll(/^## (.+)$/gm)) {
        assert.match(html, new RegExp(`<h3 id="[\\w-]+">${heading}</h3>`))
      }
    })

    test('has a form for every operation that sends nothing harmful by itself', () => {
      for (const { operationId, method } of operations()) {
        const [form = ''] = /<form .*?<\/form>/s.exec(sectionOf(html, operationId)) ?? []
        assert.match(form, new RegExp(`data-method="${method}"`))
        const [credential] = /<input [^>]*name="credential"[^>]*>/.exec(form) ?? []
        // With "off", browsers still offer to save a password.
        if (credential) assert.match(credential, / type="password" .*autocomplete="new-password"/)
        const inPath = [...form.matchAll(/<input [^>]*data-in="path"[^>]*>/g)].map(([input]) => input)
        for (const input of inPath) {
          assert.match(input, / required/)
          assert.equal(/ value="/.test(input), method === 'GET', `${operationId}: ${input}`)
        }
      }
    })
  })
}

test("the document's first server is the deployment that runs", async t => {
  const staging = await startTestService(t, { config: { publicUrls, deployment: 'staging' } })
  const servers = async (one: Pick<typeof service, 'url'>) =>
    (await fetch(`${one.url}/openapi.json`).then(answer => answer.json())).servers.map(
      ({ url }: { url: string }) => url,
    )
  assert.deepEqual(await servers(service), [publicUrls.production, publicUrls.staging])
  assert.deepEqual(await servers(staging), [publicUrls.staging, publicUrls.production])
})

test('the document leads to the guides of the deployment that runs', async t => {
  const staging = await startTestService(t, { config: { publicUrls, deployment: 'staging' } })
  const { json } = await call(staging, { path: '/openapi.json' })
  assert.equal(json.externalDocs.url, 'https://staging.petstore.test/docs/guides')
  assert.equal((await call(staging, { path: new URL(json.externalDocs.url).pathname })).status, 200)
})

test('a deployment without a configured address is not among the servers', async t => {
  const alone = await startTestService(t)
  const { json } = await call(alone, { path: '/openapi.json' })
  assert.deepEqual(json.servers, [{ url: alone.baseUrl, description: 'Production' }])
})

function sectionOf(html: string, operationId: string): string {
  const section = html.split('<section class="operation').find(part => part.includes(`<h3 id="${operationId}">`))
  assert.ok(section, operationId)
  return section.split('</section>')[0] as string
}

/** The text of a line of Markdown. */
function plain(markdown: string): string {
  return markdown.replaceAll(/`|\*\*/g, '')
}

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked, not modelled
function resolve(document: any, part: any): any {
  if (!part.$ref) return part
  return part.$ref
    .split('/')
    .slice(1)
    .reduce((value: Record<string, unknown>, step: string) => value[step], document)
}
