import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync } from 'node:zlib'
import { createSignInLink } from '../../src/domain/administration/sign-in-links.ts'
import { temporaryFolder } from '../support/folder.ts'
import { assertWellFormed } from '../support/html.ts'
import { startOperatorService } from '../support/operator.ts'

// /console, with and without a built console.

const SCRIPT = `${'/'.repeat(3_000)} a script`
const STYLE = 'p{color:red}'.repeat(1_000)
/** In another quality than the service compresses with. */
const COMPRESSED = brotliCompressSync(STYLE, { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } })
const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8'

describe('a built console', async () => {
  const service = await startOperatorService({ after }, { consoleFolder: await makeConsole() })
  const open = (path: string, headers = {}, method = 'GET') =>
    fetch(service.operatorUrl + path, { method, headers, redirect: 'manual' })

  test('every screen gets the same page, whose files are found from there', async () => {
    for (const path of ['', '/', '/sign-in', '/animals', '/animals?status=sold', '/accounts/1/keys', '/a/b/c/d']) {
      const page = await open(`/console${path}`)
      assert.equal(page.status, 200, path)
      const html = await page.text()
      const [, base = ''] = /<base href="([^"]+)">/.exec(html) ?? []
      assert.equal(new URL(base, `http://ops.test/shop/console${path}`).href, 'http://ops.test/shop/console/', path)
    }
  })

  test('a page only allows its own files, and must be revalidated', async () => {
    const page = await open('/console/animals')
    const policy = new Map(page.headers.get('content-security-policy')?.split('; ').map(splitOnce))
    assert.deepEqual(Object.fromEntries(policy), {
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self'",
      'connect-src': "'self'",
      'base-uri': "'self'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    })
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
    assert.equal(page.headers.get('cache-control'), 'no-cache')
    const etag = page.headers.get('etag') ?? ''
    const again = await open('/console/animals', { 'If-None-Match': etag })
    assert.deepEqual([again.status, await again.text()], [304, ''])
  })

  test('a file is compressed, and browsers may cache it permanently', async () => {
    const sent = await service.ask('GET', '/console/assets/index-1.js', { headers: { 'Accept-Encoding': 'gzip, br' } })
    assert.equal(sent.header('content-encoding'), 'br')
    assert.equal(sent.header('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(sent.header('content-type'), 'text/javascript; charset=utf-8')
    assert.equal(sent.header('vary'), 'Accept-Encoding')
    assert.equal(String(brotliDecompressSync(sent.body)), SCRIPT)
    const plain = await open('/console/assets/index-1.js', { 'Accept-Encoding': 'identity' })
    assert.equal(await plain.text(), SCRIPT)
    const etag = plain.headers.get('etag') ?? ''
    const again = await open('/console/assets/index-1.js', { 'Accept-Encoding': 'identity', 'If-None-Match': etag })
    assert.equal(again.status, 304)
  })

  test('a file that the build compressed is sent unchanged', async () => {
    const brotli = await service.ask('GET', '/console/assets/index-3.css', { headers: { 'Accept-Encoding': 'br' } })
    assert.deepEqual(brotli.body, COMPRESSED)
    const gzip = await service.ask('GET', '/console/assets/index-3.css', { headers: { 'Accept-Encoding': 'gzip' } })
    assert.equal(String(gunzipSync(gzip.body)), STYLE)
    assert.notEqual(gzip.header('etag'), brotli.header('etag'))
    assert.equal((await service.ask('GET', '/console/assets/index-3.css.br')).status, 404)
  })

  test('HEAD is answered like GET, without a body', async () => {
    for (const path of ['/console', '/console/animals', '/console/assets/index-1.js']) {
      const [get, head] = [await open(path), await open(path, {}, 'HEAD')]
      assert.equal(head.status, 200)
      assert.equal(await head.text(), '')
      for (const name of ['content-type', 'etag', 'cache-control', 'content-length']) {
        assert.equal(head.headers.get(name), get.headers.get(name), `${name} of ${path}`)
      }
    }
  })

  test('a file of another version is not found, and no page takes its place', async () => {
    for (const name of ['index-2.js', 'index-2.css', '..%2findex.html', '..%2fbuilt.json']) {
      const answer = await service.ask('GET', `/console/assets/${name}`)
      assert.equal(answer.status, 404, name)
      assert.equal(answer.code, 'route_not_found')
      assert.equal(answer.header('cache-control'), 'no-cache')
    }
  })

  test('the list that the build writes next to its files is not served', async () => {
    assert.match(await (await open('/console/built.json')).text(), /^<!doctype html>/)
  })

  test('a path that is too deep for a screen is not found', async () => {
    const page = await open('/console/a/b/c/d/e', { Accept: BROWSER })
    assert.equal(page.status, 404)
    assert.match(await page.text(), /<h1>Page not found<\/h1>/)
  })

  test('only GET and HEAD are allowed', async () => {
    const answer = await open('/console/animals', {}, 'POST')
    assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'GET, HEAD, OPTIONS'])
  })
})

describe('without a built console', async () => {
  const service = await startOperatorService({ after }, { consoleFolder: new URL('file:///nonexistent/') })
  const open = (path: string) => fetch(service.operatorUrl + path, { headers: { Accept: BROWSER }, redirect: 'manual' })

  test('the page says how to build the console', async () => {
    const page = await open('/console')
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; /)
    const html = await page.text()
    assertWellFormed(html)
    assert.match(html, /<h1>The console is not built<\/h1>/)
    assert.match(html, /npm run build --workspace console/)
  })

  test('every screen leads to that page, wherever a proxy serves it', async () => {
    for (const path of ['/', '/animals', '/accounts/1/keys']) {
      const { status, headers } = await open(`/console${path}`)
      assert.ok(status === 301 || status === 302, path)
      assert.equal(headers.get('cache-control'), 'no-cache')
      const location = new URL(headers.get('location') ?? '', `http://ops.test/shop/console${path}`)
      assert.equal(location.href.replace(/#$/, ''), 'http://ops.test/shop/console', path)
    }
  })

  test('a sign-in link leads to that page, leaves its secret behind, and still works', async () => {
    const { headers } = await open('/console/sign-in')
    const location = new URL(headers.get('location') ?? '', `${service.operatorUrl}/console/sign-in`)
    assert.equal(location.href, `${service.operatorUrl}/console#`)
    const { secret } = await createSignInLink(service.adminContext(), { name: 'Olga', role: 'admin' })
    assert.equal((await service.call('POST', '/session', { token: null, body: { link: secret } })).status, 201)
  })
})

/** A folder like that of a build. */
async function makeConsole(): Promise<URL> {
  const folder = await temporaryFolder({ after })
  await mkdir(join(folder, 'assets'))
  const page = '<!doctype html>\n<base href="./">\n<script type="module" src="./assets/index-1.js"></script>\n'
  await writeFile(join(folder, 'index.html'), page)
  await writeFile(join(folder, 'built.json'), '{}')
  await writeFile(join(folder, 'assets/index-1.js'), SCRIPT)
  await writeFile(join(folder, 'assets/index-3.css'), STYLE)
  await writeFile(join(folder, 'assets/index-3.css.br'), COMPRESSED)
  return pathToFileURL(`${folder}/`)
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf(' ')
  return [text.slice(0, at), text.slice(at + 1)]
}
