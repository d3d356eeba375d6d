import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { get as getHttp, type IncomingHttpHeaders } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import { createAccount } from '../src/domain/administration/accounts.ts'
import { createClaimLink } from '../src/domain/administration/claim-links.ts'
import { STOP_TIMEOUT_MS } from '../src/http/listener.ts'
import { type Issued, makeAuthority, type Wish } from './support/certificates.ts'
import { eventually } from './support/eventually.ts'
import { temporaryFolder } from './support/folder.ts'
import { textOf } from './support/html.ts'
import { type OperatorService, startOperatorService } from './support/operator.ts'
import { parseScrape, sumOf } from './support/scrape.ts'
import type { ServiceOptions } from './support/service.ts'
import { writeKeyPair } from './support/transport.ts'

// HTTPS without a proxy. That the contract holds over it is tested in contract-over-tls.test.ts.

const DAY_MS = 86_400_000
const PUBLIC_URL = 'https://petstore.example/v1'
const authority = makeAuthority()
const REFUSED = 'the new certificate cannot be used; the previous one stays in use'

test('both listeners speak TLS 1.2 and 1.3 and nothing older, HTTP/1.1 and 1.0 alone, and name their whole chain', async t => {
  const { service } = await start(t)
  for (const port of [service.port, service.operatorPort]) {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const options = { minVersion: version, maxVersion: version, ALPNProtocols: ['h2', 'http/1.1'] }
      const socket = await handshake(port, options)
      assert.equal(socket.getProtocol(), version)
      assert.equal(socket.alpnProtocol, 'http/1.1')
      assert.match(socket.getCipher().name, /GCM|CHACHA20/)
      socket.destroy()
    }
    // As curl --http1.0 does.
    const simple = await handshake(port, { ALPNProtocols: ['http/1.0'] })
    assert.equal(simple.alpnProtocol, 'http/1.0')
    simple.destroy()
    const old = { maxVersion: 'TLSv1.1', minVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const
    await assert.rejects(handshake(port, old), /alert|ECONNRESET|hang up|disconnected/)
    await assert.rejects(handshake(port, { ALPNProtocols: ['h2'] }), /alert|ECONNRESET|hang up|disconnected/)
    await assert.rejects(
      handshake(port, { maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' }),
      /alert|handshake|ECONNRESET/,
    )
  }
})

test('a client resumes its session, and cannot renegotiate', async t => {
  const { service } = await start(t)
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const first = connectTls({ port: service.port, host: '127.0.0.1', ca: authority.cert, maxVersion: version })
    const [session] = await once(first, 'session')
    first.destroy()
    const again = await handshake(service.port, { maxVersion: version, session })
    assert.ok(again.isSessionReused(), version)
    again.destroy()
  }
  const socket = await handshake(service.port, { maxVersion: 'TLSv1.2' })
  const failed = Promise.withResolvers<unknown>()
  socket.on('error', failed.resolve).on('close', failed.resolve)
  socket.renegotiate({}, error => failed.resolve(error))
  assert.ok(await failed.promise, 'the renegotiation fails')
  socket.destroy()
  assert.equal((await get(service, '/v1/pets')).status, 401)
})

test('links, guides, the OpenAPI document and the address of the service begin with https', async t => {
  const { service } = await start(t)
  assert.match(service.url, /^https:/)
  assert.match(service.operatorUrl, /^https:/)
  assert.equal(service.baseUrl, `${service.url}/v1`)
  const { key } = await service.createCaller()
  for (let pet = 0n; pet < 2n; pet++) {
    await service.store.createPet({ name: 'Rex', categoryId: pet, status: 'available' }, service.clock.now)
  }
  const { headers } = await get(service, '/v1/pets?limit=1', { authorization: `Bearer ${key}` })
  assert.match(String(headers.link), new RegExp(`^<${service.url}/v1/pets\\?limit=1&cursor=`))
  const document = JSON.parse((await get(service, '/openapi.json')).body)
  assert.equal(document.servers[0].url, `${service.url}/v1`)
  for (const path of ['/', '/docs']) {
    const page = await get(service, path, { accept: 'text/html' }, service.operatorPort)
    assert.ok(textOf(page.body).includes(`export ADMIN_URL=${service.operatorUrl}/admin/v1`), path)
  }
})

test('browsers get a session cookie that is only for HTTPS', async t => {
  const { service } = await start(t)
  const body = JSON.stringify({ token: service.admin.token })
  const headers = { 'content-type': 'application/json' }
  const signedIn = await get(service, '/admin/v1/session', headers, service.operatorPort, body)
  assert.equal(signedIn.status, 201)
  assert.match(String(signedIn.headers['set-cookie']), /; Secure$/)
})

test('over plain HTTP, a claim link is redirected to the public address, and not used up', async t => {
  const { service, redirectPort } = await start(t, { publicUrl: PUBLIC_URL })
  const operator = service.adminContext()
  await createAccount(operator, { name: 'Acme', plan: 'free', limits: {} })
  const { secret } = await createClaimLink(operator, { account: 'Acme', validForSeconds: 3_600 })
  for (const port of [redirectPort, service.port]) {
    for (const method of ['GET', 'POST']) {
      const { status, headers } = await getPlain(port, `/claim/${secret}`, { Host: 'evil.example' }, method)
      assert.equal(status, 308)
      assert.equal(headers.location, `https://petstore.example/claim/${secret}`)
      assert.equal(headers['cache-control'], 'no-store')
    }
  }
  assert.deepEqual(await service.store.listKeys(), [])
  await service.close()
  for (const line of service.logs) assert.ok(!line.includes(secret.slice(-36)), line)
})

test('plain HTTP is redirected to the public address for people, and refused to programs', async t => {
  const { service, redirectPort } = await start(t, { publicUrl: PUBLIC_URL })
  const { key } = await service.createCaller()
  // The port that speaks TLS answers plain HTTP in the same way.
  for (const port of [redirectPort, service.port]) {
    for (const [path, location] of [
      ['/', 'https://petstore.example/'],
      ['/docs/guides/errors?a=b&c', 'https://petstore.example/docs/guides/errors?a=b&c'],
      ['//evil.example/x', 'https://petstore.example//evil.example/x'],
      ['http://evil.example/docs', 'https://petstore.example/docs'],
    ] as const) {
      const { status, headers, body } = await getPlain(port, path, { Host: 'evil.example' })
      assert.equal(status, 308, path)
      assert.equal(headers.location, location)
      assert.equal(headers['strict-transport-security'], undefined)
      assert.ok(headers['x-ratelimit-remaining'])
      assert.equal(body, '')
    }
    for (const [path, authorization] of [
      ['/v1/pets', undefined],
      ['/v1', `Bearer ${key}`],
      ['/%76%31/pets', `Bearer ${key}`],
    ] as const) {
      const refused = await getPlain(port, path, authorization ? { authorization } : {})
      assert.equal(refused.status, 403)
      const { code, message } = JSON.parse(refused.body)
      assert.equal(code, 'https_required')
      assert.match(message, /^HTTPS is required: call https:\/\/petstore\.example\/v1\./)
      assert.equal(/have it replaced/.test(message), authorization !== undefined)
    }
    assert.match(await sendPlain(port, 'nonsense\r\n\r\n'), /^HTTP\/1\.1 400 .*"malformed_request"/s)
    assert.match(await sendPlain(port, 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'), /^HTTP\/1\.1 501 /)
    assert.match(
      await sendPlain(port, 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
      /^HTTP\/1\.1 403 /,
    )
  }
  const { status, body } = await getPlain(service.operatorPort, '/readyz', {})
  assert.equal(`${status} ${JSON.parse(body).code}`, '403 https_required')
})

test('a certificate authority can fetch the proof that a tool has put into the folder, and nothing else', async t => {
  const acmeFolder = await temporaryFolder(t)
  const challenges = join(acmeFolder, '.well-known/acme-challenge')
  await mkdir(challenges, { recursive: true })
  await writeFile(join(challenges, 'LoqXcYV8_-q5ONbJQxbm'), 'LoqXcYV8_-q5ONbJQxbm.9jg46WB3rR_AHD')
  await writeFile(join(acmeFolder, 'secret'), 'secret')
  await writeFile(join(challenges, 'large'), 'x'.repeat(1_001))
  const { service, redirectPort } = await start(t, { publicUrl: PUBLIC_URL, config: { acmeFolder } })
  const base = '/.well-known/acme-challenge/'
  const found = await getPlain(redirectPort, `${base}LoqXcYV8_-q5ONbJQxbm`, { Host: 'petstore.example' })
  assert.deepEqual([found.status, found.body], [200, 'LoqXcYV8_-q5ONbJQxbm.9jg46WB3rR_AHD'])
  const head = await getPlain(redirectPort, `${base}LoqXcYV8_-q5ONbJQxbm`, {}, 'HEAD')
  assert.deepEqual([head.status, head.headers['content-length'], head.body], [200, '35', ''])
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const refused = await getPlain(redirectPort, `${base}LoqXcYV8_-q5ONbJQxbm`, {}, method)
    assert.equal(`${refused.status} ${JSON.parse(refused.body).code}`, '405 method_not_allowed', method)
    assert.equal(refused.headers.allow, 'GET, HEAD')
  }
  for (const name of ['', 'none', 'large', '..', '../../secret', '..%2f..%2fsecret', '%2e%2e/%2e%2e/secret', 'a/b']) {
    const refused = await getPlain(redirectPort, base + name, {})
    assert.equal(`${refused.status} ${JSON.parse(refused.body).code}`, '404 route_not_found', name)
  }
  assert.equal((await get(service, `${base}LoqXcYV8_-q5ONbJQxbm`)).status, 404, 'not over HTTPS')
})

test('calls over plain HTTP are limited by address, and cost no account anything', async t => {
  const { service, redirectPort } = await start(t, { publicUrl: PUBLIC_URL, config: { anonymousPerMinute: 3 } })
  const { key } = await service.createCaller({ plan: 'free' })
  const headers = { authorization: `Bearer ${key}` }
  // Once the address has used up its calls, only a key that is in use works from there.
  assert.equal((await get(service, '/v1/pets', headers)).headers['x-ratelimit-remaining'], '59')
  const statuses: (number | undefined)[] = []
  for (let count = 0; count < 5; count++) statuses.push((await getPlain(redirectPort, '/v1/pets', headers)).status)
  assert.deepEqual(statuses, [403, 403, 403, 429, 429])
  assert.equal((await get(service, '/v1/pets', headers)).headers['x-ratelimit-remaining'], '58')
})

test('without a public address, plain HTTP is refused, and nothing is redirected', async t => {
  const { service } = await start(t)
  const { status, body } = await getPlain(service.port, '/docs', { Host: 'evil.example' })
  assert.equal(status, 403)
  assert.deepEqual(JSON.parse(body), { code: 'https_required', message: 'HTTPS is required.', status: 403 })
})

test('HTTPS responses ask browsers to use nothing else, if wanted', async t => {
  const without = await start(t)
  assert.equal((await get(without.service, '/docs')).headers['strict-transport-security'], undefined)
  const { service, redirectPort } = await start(t, { publicUrl: PUBLIC_URL, config: { hstsSeconds: 300 } })
  for (const path of ['/docs', '/v1/pets', '/v1/%zz']) {
    assert.equal((await get(service, path)).headers['strict-transport-security'], 'max-age=300', path)
  }
  const socket = await handshake(service.port)
  socket.end('nonsense\r\n\r\n')
  assert.match(await text(socket), /\r\nStrict-Transport-Security: max-age=300\r\n/)
  assert.equal((await getPlain(redirectPort, '/docs', {})).headers['strict-transport-security'], undefined)
})

test('a renewed certificate is used for new connections, and open ones continue', async t => {
  const { service, folder } = await start(t)
  const open = await handshake(service.port)
  const before = fingerprintOf(open)
  const renewed = authority.issue({ until: Date.now() + 60.5 * DAY_MS })
  await replace(folder, renewed)
  await eventually(async () => {
    for (const port of [service.port, service.operatorPort]) {
      const socket = await handshake(port)
      const now = fingerprintOf(socket)
      socket.destroy()
      assert.equal(now, new X509Certificate(renewed.cert).fingerprint256)
    }
  })
  open.write('GET /docs HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  assert.match(await text(open), /^HTTP\/1\.1 200 /)
  assert.notEqual(before, new X509Certificate(renewed.cert).fingerprint256)
  assert.ok(logged(service, 'certificate renewed').every(({ level }) => level === 30))
  assert.equal(
    JSON.parse((await get(service, '/readyz', {}, service.operatorPort)).body).certificateDaysLeft.public,
    60,
  )
})

test('files that do not match are not used, and the log says so once', async t => {
  const { service, folder } = await start(t)
  const { cert } = authority.issue()
  await writeFile(join(folder, 'cert.pem'), cert)
  await eventually(() => assert.equal(logged(service, REFUSED).length, 2, 'once for each listener'))
  assert.match(String(logged(service, REFUSED)[0]?.problem), /cert\.pem does not belong to the key in .*key\.pem\.$/)
  assert.equal((await get(service, '/docs')).status, 200)
  await new Promise(resolve => setTimeout(resolve, 200))
  assert.equal(logged(service, REFUSED).length, 2)
})

test('a renewed certificate that clients refuse never replaces one that works', async t => {
  const names = ['petstore.example', '127.0.0.1']
  const middle = authority.delegate('Middle')
  const foreign = makeAuthority('Foreign')
  const late = authority.delegate('Late', { from: Date.now() - 9 * DAY_MS, until: Date.now() - DAY_MS })
  const issue = (wish: Wish = {}, issuer = middle, chain = issuer.cert): Issued => {
    const { cert, key } = issuer.issue({ names, ...wish })
    return { cert: cert + chain, key }
  }
  const good = issue({ keyType: 'rsa' })
  const { service, folder } = await start(t, { issued: good, publicUrl: PUBLIC_URL })
  const cases: [what: string, renewed: Issued, problem: RegExp][] = [
    ['secp256k1', issue({ keyType: 'secp256k1' }), /has a key that clients cannot use \(secp256k1\);/],
    ['Brainpool', issue({ keyType: 'brainpool' }), /has a key that clients cannot use/],
    ['DSA', issue({ keyType: 'dsa' }), /has a key that clients cannot use/],
    ['no intermediate', issue({}, middle, ''), /lacks the certificate of its issuer/],
    ['a foreign intermediate', issue({}, middle, foreign.cert), /did not sign the one before it: CN=Foreign/],
    ['one of the same name', issue({}, middle, authority.delegate('Middle').cert), /did not sign the one before it/],
    ['an expired intermediate', issue({}, late), /has an expired certificate of an authority: CN=Late/],
    ['one for clients', issue({ usage: 'client' }), /is not for servers \(its extended key usage lacks serverAuth\)/],
    ['an authority', issue({ isAuthority: true }), /begins with the certificate of an authority/],
    ['another host', issue({ names: ['127.0.0.1'] }), /is for 127\.0\.0\.1, and not for petstore\.example/],
  ]
  const inUse = async () => {
    const socket = await handshake(service.port)
    const fingerprint = fingerprintOf(socket)
    socket.destroy()
    return fingerprint
  }
  const health = async () => {
    const headers = { Authorization: `Bearer ${service.staff.token}` }
    const { parts } = JSON.parse((await get(service, '/admin/v1/health', headers, service.operatorPort)).body)
    return parts.find(({ part }: { part: string }) => part === 'public certificate')
  }
  const before = await inUse()
  for (const [what, renewed, problem] of cases) {
    await replace(folder, renewed)
    await eventually(() => {
      const line = logged(service, REFUSED).findLast(({ listener }) => listener === 'public')
      assert.match(String(line?.problem), problem, what)
      assert.equal(line?.level, 50)
    })
    assert.equal(await inUse(), before, what)
    assert.match((await health()).message, problem, what)
  }
  assert.equal(logged(service, 'certificate renewed').filter(({ listener }) => listener === 'public').length, 0)

  const renewed = issue({ usage: 'server' })
  await replace(folder, renewed)
  await eventually(async () => assert.equal(await inUse(), new X509Certificate(renewed.cert).fingerprint256))
  assert.equal((await health()).state, 'ok')
})

test('a certificate that clients refuse is an error in the log at the start', async t => {
  const { cert, key } = authority.issue({ names: ['petstore.example'], usage: 'client', keyType: 'secp256k1' })
  const { service } = await start(t, {
    issued: { cert: cert + makeAuthority('Foreign').cert, key },
    publicUrl: PUBLIC_URL,
  })
  const errors = service.logs
    .map(line => JSON.parse(line))
    .filter(({ level, listener }) => level === 50 && listener === 'public')
  assert.match(errors.map(({ msg }) => msg).join('\n'), /clients cannot use.*\n.*lacks serverAuth.*\n.*did not sign/)
})

test('health and metrics show how long the certificates are valid, and the log warns of those that are not', async t => {
  const now = Date.now()
  const { service } = await start(t, {
    wish: { from: now - 80 * DAY_MS, until: now + 10.5 * DAY_MS },
    publicUrl: PUBLIC_URL,
    now,
  })
  const { body } = await get(service, '/readyz', {}, service.operatorPort)
  assert.deepEqual(JSON.parse(body), { status: 'ready', certificateDaysLeft: { public: 10, operators: 10 } })
  const headers = { Authorization: `Bearer ${service.staff.token}` }
  const healthOf = async () => JSON.parse((await get(service, '/admin/v1/health', headers, service.operatorPort)).body)
  const health = await healthOf()
  assert.equal(health.state, 'degraded')
  const certificate = health.parts.find(({ part }: { part: string }) => part === 'public certificate')
  assert.match(
    certificate.message,
    /^The public certificate \(.*\) expires on .*, in 10 days, and has not been renewed\. The public certificate \(.*\) is for localhost/,
  )
  const scrape = parseScrape((await get(service, '/metrics', {}, service.operatorPort)).body)
  const expiry = sumOf(scrape, 'petstore_certificate_expiry_timestamp_seconds', { listener: 'public' })
  assert.equal(expiry, Math.floor((now + 10.5 * DAY_MS) / 1_000))
  const soon = service.logs.filter(line =>
    /the certificate expires on .*, in 10 days, and has not been renewed/.test(line),
  )
  assert.equal(soon.length, 2)
  const mismatch =
    'the certificate is for localhost, 127.0.0.1, and not for petstore.example, the host of the public base address'
  assert.deepEqual(
    logged(service, mismatch).map(({ listener, level }) => [listener, level]),
    [['public', 50]],
  )

  const expired = await start(t, { wish: { from: now - 9 * DAY_MS, until: now - DAY_MS } })
  const [line] = expired.service.logs.filter(one => /"the certificate expired on /.test(one))
  assert.equal(JSON.parse(line ?? '{}').level, 50)
  service.clock.now += 11 * DAY_MS
  assert.equal((await healthOf()).state, 'failing', 'clients refuse it')
})

test('the service stops immediately when its connections are idle or have not finished their handshake', async t => {
  const { service } = await start(t)
  const silent = connectTcp(service.port, '127.0.0.1')
  const begun = connectTcp(service.port, '127.0.0.1')
  const idle = await handshake(service.port)
  begun.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]))
  const closed = [silent, begun, idle].map(socket => ended(socket.on('error', () => {}).resume()))
  await new Promise(resolve => setTimeout(resolve, 50))
  const startedAt = performance.now()
  await service.close()
  assert.ok(performance.now() - startedAt < STOP_TIMEOUT_MS)
  await Promise.all(closed)
})

test('a PROXY header before the handshake names the client, even in the same packet', async t => {
  const { service } = await start(t, {
    publicUrl: PUBLIC_URL,
    config: { proxyProtocol: true, trustedProxies: ['127.0.0.1'], anonymousPerMinute: 2 },
  })
  for (const isOnePacket of [true, false]) {
    for (const client of ['192.0.2.7', '192.0.2.8', '192.0.2.7', '192.0.2.7']) {
      const port = await openProxy(t, service.port, client, isOnePacket)
      const statuses = { '192.0.2.7': isOnePacket ? [401, 429] : [429], '192.0.2.8': [401] }[client]
      const { status } = await get(service, '/v1/pets', {}, port)
      assert.ok(statuses?.includes(status ?? 0), `${client}: ${status}`)
    }
  }
  const port = await openProxy(t, service.port, '192.0.2.9', true)
  assert.equal((await getPlain(port, '/docs', {})).status, 308)
  const redirectPort = Number(new URL(service.instances[0]?.redirectUrl ?? '').port)
  const redirecting = await openProxy(t, redirectPort, '192.0.2.9', true)
  assert.equal((await getPlain(redirecting, '/docs', {})).headers['x-ratelimit-remaining'], '0')
  assert.equal((await sendPlain(service.port, 'GET / HTTP/1.1\r\n\r\n')).length, 0, 'no header, no answer')
})

/** A load balancer that forwards connections, and names this address as the client's. Returns its port. */
async function openProxy(t: TestContext, target: number, client: string, isOnePacket: boolean): Promise<number> {
  const header = Buffer.from(`PROXY TCP4 ${client} 198.51.100.1 56324 443\r\n`)
  const proxy = createServer(incoming => {
    const outgoing = connectTcp({ port: target, host: '127.0.0.1', noDelay: true })
    if (!isOnePacket) outgoing.write(header)
    incoming.once('data', (first: Buffer) => {
      outgoing.write(isOnePacket ? Buffer.concat([header, first]) : first)
      incoming.pipe(outgoing)
    })
    outgoing.pipe(incoming)
    incoming.on('error', () => outgoing.destroy()).on('close', () => outgoing.destroy())
    outgoing.on('error', () => incoming.destroy())
  }).listen(0, '127.0.0.1')
  t.after(() => proxy.close())
  await once(proxy, 'listening')
  return (proxy.address() as AddressInfo).port
}

/** Waits for the end of a connection, however it comes. */
function ended(socket: Socket): Promise<void> {
  return new Promise(resolve => socket.once('close', () => resolve()))
}

interface StartOptions extends ServiceOptions {
  issued?: Issued
  wish?: Wish
  publicUrl?: string
}

/** Starts a service with HTTPS on both listeners; with a public address, it also redirects. */
async function start(t: TestContext, startOptions: StartOptions = {}) {
  const { wish = {}, issued = authority.issue(wish), publicUrl, config, ...options } = startOptions
  const folder = await temporaryFolder(t)
  const files = writeKeyPair(folder, issued)
  const service = await startOperatorService(t, {
    refreshCertificatesEveryMs: 20,
    backend: 'embedded',
    // Clients compare certificates with the true time.
    now: Date.now(),
    ...options,
    config: {
      tls: { public: files, operators: files },
      ...(publicUrl && { publicUrls: { production: publicUrl }, redirectPort: 0 }),
      ...config,
    },
  })
  return { service, folder, redirectPort: Number(new URL(service.instances[0]?.redirectUrl ?? 'http://x').port) }
}

/** Replaces the files as certbot and acme.sh do: one by one. */
async function replace(folder: string, { cert, key }: Issued): Promise<void> {
  await writeFile(join(folder, 'key.pem'), key)
  await writeFile(join(folder, 'new.pem'), cert)
  await rename(join(folder, 'new.pem'), join(folder, 'cert.pem'))
}

async function handshake(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connectTls({ port, host: '127.0.0.1', ca: authority.cert, ...options })
  await once(socket, 'secureConnect')
  assert.ok(socket.authorized)
  return socket
}

function fingerprintOf(socket: TLSSocket): string {
  return socket.getPeerCertificate().fingerprint256
}

interface Response {
  status: number | undefined
  headers: IncomingHttpHeaders
  body: string
}

/** Calls over HTTPS: POST with a body, else GET. */
async function get(
  service: OperatorService,
  path: string,
  headers: Record<string, string> = {},
  port = service.port,
  body = '',
): Promise<Response> {
  const method = body === '' ? 'GET' : 'POST'
  const request = requestHttps({ method, host: '127.0.0.1', port, path, headers, ca: authority.cert, agent: false })
  request.end(body)
  const [response] = await once(request, 'response')
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

async function getPlain(
  port: number,
  path: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<Response> {
  const request = getHttp({ method, host: '127.0.0.1', port, path, headers, agent: false })
  const [response] = await once(request, 'response')
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

async function sendPlain(port: number, bytes: string): Promise<string> {
  const socket = connectTcp(port, '127.0.0.1')
  socket.write(bytes)
  return text(socket)
}

/** The lines of the log that contain this text. */
function logged({ logs }: OperatorService, message: string): Record<string, unknown>[] {
  return logs
    .join('')
    .split('\n')
    .filter(line => line.includes(`"msg":${JSON.stringify(message)}`))
    .map(line => JSON.parse(line))
}
