import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { type RequestOptions, request as requestByTls } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { issueKeyWithoutLimit } from './support/changes.ts'
import { makeStore, type Serving, startServe } from './support/command-line.ts'
import { eventually } from './support/eventually.ts'
import { rawCall } from './support/raw.ts'
import { parseScrape, type Series, sumOf } from './support/scrape.ts'
import { needs, skip } from './support/servers/needs.ts'
import { noPostgres, startPostgres } from './support/servers/postgres.ts'
import { findFreePort } from './support/servers/private-server.ts'
import { noRedis, sharedRedisUrl } from './support/servers/redis.ts'

// deploy/haproxy and deploy/caddy, each in front of three instances on PostgreSQL and Redis. The committed files are used; only the addresses, the
// ports and the path of the certificate are replaced.

const FOLDER = fileURLToPath(new URL('../deploy/haproxy/', import.meta.url))
const CADDYFILE = fileURLToPath(new URL('../deploy/caddy/Caddyfile', import.meta.url))
const ANONYMOUS_PER_MINUTE = 20
/** Long enough for the balancer to see twice that an instance is not ready. */
const STOP_DELAY_SECONDS = 3
const CALLERS = 6

test('HAProxy accepts the configuration, except that its hosts are unknown here', async t => {
  if (!needs(t, 'haproxy')) return
  const child = spawn('haproxy', ['-c', '-f', `${FOLDER}haproxy.cfg`], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    said += text
  })
  const [code] = await once(child, 'close')
  assert.equal(code, 0, said)
  const complaints = said.split('\n').filter(line => /WARNING|ALERT/.test(line))
  assert.deepEqual(
    complaints.filter(line => !/could not resolve address 'petstore-[123]'/.test(line)),
    [],
  )
})

test('three instances behind the balancer', async t => {
  const missing = noPostgres ?? noRedis
  if (missing !== undefined) return void skip(t, missing)
  if (!needs(t, 'haproxy') || !needs(t, 'openssl')) return
  const { cleanup, key, instances, database, start } = await startInstances(t, { PETSTORE_PROXY_PROTOCOL: 'on' })
  const { port, tlsPort, watch, carriedBy } = await startBalancer(cleanup, instances)

  await t.test('share the calls', () => assertShared(instances, port, key))

  await t.test('count a client without a key by its own address, all together, whatever it claims', async () => {
    const claims = ['127.0.0.99', '127.0.0.1', 'nonsense', '127.0.0.98']
    await assertCounted(claims.map(claim => ({ port, headers: { 'X-Forwarded-For': claim } })))
  })

  await t.test('know a client also where the balancer ends TLS', async () => {
    const byTls = { port: tlsPort, isByTls: true, headers: { 'X-Forwarded-For': '127.0.0.99' } }
    await assertCounted([byTls, { port, headers: {} }, byTls])
  })

  await t.test('answer in their own shape also what the balancer could not understand', async () => {
    const bad = [
      ['GARBAGE\r\n\r\n', 400],
      ['GET /v1/pets HTTP/9.9\r\nHost: x\r\n\r\n', 400],
      ['PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ] as const
    for (const [bytes, status] of bad) {
      const [answer] = await rawCall(port, bytes, { methods: ['GET'] })
      assert.equal(answer?.status, status, bytes.slice(0, 40))
      assert.deepEqual(Object.keys(answer.json), ['code', 'message', 'status'])
      for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id']) {
        assert.ok(answer.header(name), name)
      }
    }
  })

  await t.test('lose no call but those in flight at one that is killed, and use it again when it is back', async t => {
    const load = startLoad(t, port, key)
    await load.further(50)
    const victim = { proxy: 'petstore', server: 'petstore-1' }
    assert.ok((sumOf(await watch(), 'haproxy_server_current_sessions', victim) ?? 0) > 0)
    await instances[0].serving.stop('SIGKILL')
    await load.further(200)
    await until(watch, 'petstore-1', 'DOWN')
    await start(instances[0])
    await until(watch, 'petstore-1', 'UP')
    await load.further(50)
    const { failed } = await load.stop()
    // A caller may connect to the victim once more while the system closes its sockets, one after the other.
    await eventually(() => {
      const atVictim = carriedBy('petstore-1')
      const elsewhere = failed.filter(({ clientPort }) => clientPort === undefined || !atVictim.has(clientPort))
      assert.deepEqual(elsewhere, [])
    })
    await assertUsed(instances[0], port, key)
  })

  await t.test('refuse calls in their own shape while the database is gone', async () => {
    await database.signal('SIGKILL')
    const headers = { Authorization: `Bearer ${key}` }
    const create = () => call(port, { method: 'POST', body: '{"name":"Rex","categoryId":1}', headers })
    // Long enough for the balancer to take instances out twice over.
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const { status, headers } = await create()
      assert.deepEqual([status, headers.connection, headers['retry-after']], [503, 'close', '1'])
      await sleep(100)
    }
    await database.start()
    await eventually(async () => assert.equal((await create()).status, 201))
  })
})

test('three instances behind Caddy', async t => {
  const missing = noPostgres ?? noRedis
  if (missing !== undefined) return void skip(t, missing)
  if (!needs(t, 'caddy')) return
  const { cleanup, key, instances, database, start } = await startInstances(t)
  const { port, plainPort } = await startCaddy(cleanup, instances)

  await t.test('share the calls', () => assertShared(instances, port, key))

  await t.test('count a client without a key by its own address, all together, whatever it claims', async () => {
    const claims = ['127.0.0.99', '127.0.0.1', 'nonsense', '127.0.0.98']
    await assertCounted(claims.map(claim => ({ port, headers: { 'X-Forwarded-For': claim } })))
  })

  await t.test('lose no call but those in flight at one that is killed, and use it again when it is back', async t => {
    const load = startLoad(t, port, key)
    await load.further(50)
    await instances[0].serving.stop('SIGKILL')
    await load.further(200)
    await start(instances[0])
    await assertUsed(instances[0], port, key)
    await load.further(50)
    const { failed } = await load.stop()
    assert.deepEqual([...new Set(failed.map(({ outcome }) => outcome))].join(), failed.length > 0 ? '502' : '')
    assert.ok(failed.length <= CALLERS, String(failed.length))
  })

  await t.test('refuse calls in their own shape while the database is gone', async () => {
    await database.signal('SIGKILL')
    const headers = { Authorization: `Bearer ${key}` }
    const create = () => call(port, { method: 'POST', body: '{"name":"Rex","categoryId":1}', headers })
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const { status, headers } = await create()
      assert.deepEqual([status, headers['retry-after']], [503, '1'])
      assert.ok(headers['x-ratelimit-limit'])
      await sleep(100)
    }
    await database.start()
    await eventually(async () => assert.equal((await create()).status, 201))
  })

  await t.test('get no API call that was sent without TLS', async () => {
    assert.equal((await call(plainPort, { headers: { Authorization: `Bearer ${key}` } })).status, 403)
    const { status, headers } = await call(plainPort, { path: '/docs?a=1', headers: {} })
    assert.deepEqual([status, headers.location], [301, 'https://127.0.0.1/docs?a=1'])
  })
})

interface Cleanup {
  after(end: () => Promise<void>): void
}

interface Instance {
  /** Each has its own address, and all have the same ports. */
  host: string
  port: number
  operatorPort: number
  /** Another process after a restart. */
  serving: Serving
}

async function startInstances(t: TestContext, settings: Record<string, string> = {}) {
  const opened = new AsyncDisposableStack()
  t.after(() => opened.disposeAsync())
  const cleanup = { after: (end: () => Promise<void>) => opened.defer(end) }
  const database = await startPostgres()
  opened.defer(() => database.close())
  const store = await makeStore(cleanup, {
    PETSTORE_DATABASE_URL: database.url,
    PETSTORE_REDIS_URL: await sharedRedisUrl(),
    ...settings,
    PETSTORE_TRUSTED_PROXIES: '127.0.0.1',
    PETSTORE_ANONYMOUS_PER_MINUTE: String(ANONYMOUS_PER_MINUTE),
    PETSTORE_STOP_DELAY: String(STOP_DELAY_SECONDS),
  })
  const [port, operatorPort] = [await findFreePort(), await findFreePort()]
  const begin = async (host: string): Promise<Instance> => {
    const addresses = { PETSTORE_HOST: host, PETSTORE_OPERATOR_HOST: host }
    const ports = { PETSTORE_PORT: String(port), PETSTORE_OPERATOR_PORT: String(operatorPort) }
    return { host, port, operatorPort, serving: await startServe(cleanup, { ...addresses, ...ports }, { store }) }
  }
  const instances: [Instance, Instance, Instance] = [
    await begin('127.0.0.1'),
    await begin('127.0.0.2'),
    await begin('127.0.0.3'),
  ]
  const key = await issueKeyWithoutLimit(store)
  const start = async (instance: Instance) => {
    instance.serving = (await begin(instance.host)).serving
  }
  return { cleanup, key, instances, database, start }
}

/** Runs the committed files. Only the names and ports of the instances, the balancer's listeners and its certificate are replaced. */
async function startBalancer(cleanup: Cleanup, instances: readonly Instance[]) {
  const [port, tlsPort, watchPort] = [await findFreePort(), await findFreePort(), await findFreePort()]
  const folder = mkdtempSync(join(tmpdir(), 'petstore-haproxy-'))
  const certificate = join(folder, 'petstore.pem')
  const subject = ['-subj', '/CN=localhost', '-days', '2', '-nodes']
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-keyout', `${certificate}.key`]
  execFileSync('openssl', ['req', '-x509', ...subject, ...key, '-out', certificate], { stdio: 'ignore' })
  const files = {
    'haproxy.cfg': [
      ...instances.map(({ host, port, operatorPort }, index) => [
        `petstore-${index + 1}:8080 port 8081\n`,
        `${host}:${port} port ${operatorPort}\n`,
      ]),
      ['bind :8080\n', `bind 127.0.0.1:${port}\n`],
      ['bind :8404\n', `bind 127.0.0.1:${watchPort}\n`],
    ],
    'tls.cfg': [
      ['bind :8443 ', `bind 127.0.0.1:${tlsPort} `],
      ['/etc/haproxy/tls/petstore.pem', certificate],
    ],
  }
  for (const [name, exchanges] of Object.entries(files)) {
    writeFileSync(join(folder, name), exchanged(FOLDER + name, exchanges))
  }
  const args = Object.keys(files).flatMap(name => ['-f', join(folder, name)])
  const child = spawn('haproxy', ['-db', ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
  let log = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    log += text
  })
  const ended = once(child, 'exit')
  cleanup.after(async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true })
  })
  const metrics = `http://127.0.0.1:${watchPort}/metrics?scope=server`
  // NaN means no limit.
  const watch = async () => parseScrape((await (await fetch(metrics)).text()).replaceAll(/^.* NaN\n/gm, ''))
  await eventually(async () => assert.equal((await fetch(`http://127.0.0.1:${watchPort}/healthz`)).status, 200))
  for (const index of instances.keys()) await until(watch, `petstore-${index + 1}`, 'UP')
  /** The client ports of closed connections that a server accepted: the log has a line for each of them. */
  function carriedBy(server: string): Set<number> {
    const lines = log.matchAll(new RegExp(String.raw`^127\.0\.0\.1:(\d+) \S+ \S+ petstore/${server} \d+/\d+/`, 'gm'))
    return new Set(Array.from(lines, ([, clientPort]) => Number(clientPort)))
  }
  return { port, tlsPort, watch, carriedBy }
}

/** Runs the committed file, without TLS. */
async function startCaddy(cleanup: Cleanup, instances: readonly [Instance, ...Instance[]]) {
  const [port, plainPort] = [await findFreePort(), await findFreePort()]
  const folder = mkdtempSync(join(tmpdir(), 'petstore-caddy-'))
  const hosts = ['petstore-1:8080', 'petstore-2:8080', 'petstore-3:8080']
  const text = exchanged(CADDYFILE, [
    ...hosts.map((name, index) => [name, `${instances[index]?.host}:${instances[index]?.port}`]),
    ['health_port 8081', `health_port ${instances[0].operatorPort}`],
    ['\npetstore.example {', `\nhttp://127.0.0.1:${port} {`],
    ['http://petstore.example {', `http://127.0.0.1:${plainPort} {`],
  ])
  const file = join(folder, 'Caddyfile')
  writeFileSync(file, `{\n\tadmin off\n}\n${text}`)
  const env = { ...process.env, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder }
  const child = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], { stdio: 'ignore', env })
  const ended = once(child, 'exit')
  cleanup.after(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true })
  })
  await eventually(async () => assert.equal((await call(port, { headers: {} })).status, 401))
  return { port, plainPort }
}

/** The text of a file in which other texts take the place of some, each of which it has once. */
function exchanged(file: string, exchanges: readonly (readonly string[])[]): string {
  let text = readFileSync(file, 'utf8')
  for (const [from = '', to = ''] of exchanges) {
    assert.equal(text.split(from).length, 2, `once: ${from}`)
    text = text.replace(from, to)
  }
  return text
}

/** Waits until the balancer considers a server up or down. */
async function until(watch: () => Promise<Series[]>, server: string, state: 'UP' | 'DOWN'): Promise<void> {
  await eventually(async () => {
    assert.equal(sumOf(await watch(), 'haproxy_server_status', { proxy: 'petstore', server, state }), 1, server)
  })
}

let clients = 0

/** Makes these calls, all without a key, from one address and then from another: each address has its own count. */
async function assertCounted(calls: readonly ({ port: number } & CallOptions)[]): Promise<void> {
  // An instance that briefly finds Redis too slow counts alone; other addresses are counted together again.
  await eventually(async () => {
    for (const _ of ['one', 'other']) {
      clients += 1
      for (const [index, { port, ...options }] of calls.entries()) {
        const answer = await call(port, { ...options, localAddress: `127.1.${clients >> 8}.${clients & 255}` })
        assert.equal(answer.status, 401)
        assert.equal(Number(answer.headers['x-ratelimit-remaining']), ANONYMOUS_PER_MINUTE - 1 - index)
      }
    }
  })
}

/** Callers that call repeatedly, each on its own persistent connection. They end with the test at the latest. */
function startLoad(t: TestContext, port: number, key: string) {
  const failed: { clientPort: number | undefined; outcome: string }[] = []
  let answered = 0
  let isOver = false
  const callers = Array.from({ length: CALLERS }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    let clientPort: number | undefined
    for (let turn = 0; !isOver; turn++) {
      const creation = { method: 'POST', body: '{"name":"Rex","categoryId":1}' }
      const outcome = await call(port, {
        agent,
        headers: { Authorization: `Bearer ${key}` },
        ...(turn % 3 ? {} : creation),
        onConnected: port => {
          clientPort = port
        },
      })
        .then(({ status }) => String(status))
        .catch(error => String(error))
      if (/^20[01]$/.test(outcome)) answered += 1
      else failed.push({ clientPort, outcome })
      await sleep(5)
    }
    agent.destroy()
  })
  async function stop() {
    isOver = true
    await Promise.all(callers)
    return { answered, failed }
  }
  t.after(stop)
  return {
    stop,
    /** Waits for this many more answers. */
    async further(count: number): Promise<void> {
      const goal = answered + count
      await eventually(() => assert.ok(answered >= goal, `${answered} of ${goal} answers, ${failed.length} failures`))
    },
  }
}

/** Calls until each instance has answered some calls. A balancer may choose at random among instances that are equally busy. */
async function assertShared(instances: readonly Instance[], port: number, key: string): Promise<void> {
  const calls = new Map<string, number | undefined>()
  await eventually(async () => {
    const id = randomUUID()
    const { status } = await call(port, { headers: { 'X-Request-Id': id, Authorization: `Bearer ${key}` } })
    calls.set(id, status)
    const shares = instances.map(({ serving }) => [...calls.keys()].filter(one => serving.stdout.includes(one)).length)
    assert.ok(
      shares.every(share => share >= 5),
      shares.join(),
    )
  })
  assert.deepEqual(new Set(calls.values()), new Set([200]))
}

/** Calls until an instance has answered. */
async function assertUsed({ serving }: Instance, port: number, key: string): Promise<void> {
  const ids: string[] = []
  await eventually(async () => {
    const id = randomUUID()
    ids.push(id)
    await call(port, { headers: { 'X-Request-Id': id, Authorization: `Bearer ${key}` } })
    assert.ok(ids.some(one => serving.stdout.includes(one)))
  })
}

interface CallOptions extends RequestOptions {
  headers: Record<string, string>
  body?: string
  isByTls?: boolean
  /** Receives the client's port of the connection that carries the call. */
  onConnected?: (clientPort: number | undefined) => void
}

/** One call of GET or POST /v1/pets, on its own connection unless an agent is given. */
async function call(
  port: number,
  { body, headers, isByTls = false, onConnected, ...options }: CallOptions,
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders }> {
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof call>>>()
  const all = body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' }
  const fixed = { agent: false, host: '127.0.0.1', port, path: '/v1/pets', headers: all, rejectUnauthorized: false }
  const sent = (isByTls ? requestByTls : request)({ ...fixed, ...options })
  sent.on('error', reject)
  sent.on('socket', socket => {
    if (socket.connecting) socket.once('connect', () => onConnected?.(socket.localPort))
    else onConnected?.(socket.localPort)
  })
  sent.on('response', response => {
    response.on('error', reject)
    response.resume().on('end', () => resolve({ status: response.statusCode, headers: response.headers }))
  })
  sent.end(body)
  return promise
}
