import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { connect as connectTo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { inspect, promisify } from 'node:util'
import { Redis } from 'ioredis'
import { eventually } from '../../test/support/eventually.ts'
import { temporaryFolder } from '../../test/support/folder.ts'
import { needs, skip } from '../../test/support/servers/needs.ts'
import { findFreePort } from '../../test/support/servers/private-server.ts'
import { noRedis, startRedis } from '../../test/support/servers/redis.ts'
import { openLimiters } from '../../test/support/servers/redis-limiters.ts'
import { openStore } from '../../test/support/store.ts'
import { type Connection, connect } from './connection.ts'
import { kindOf } from './driver-options.ts'

const PROCESS = fileURLToPath(new URL('../../test/support/servers/limiters-process.ts', import.meta.url))
const run = promisify(execFile)

test('the error for a wrong password does not contain the password', async t => {
  if (noRedis) return void skip(t, noRedis)
  const server = await startRedis()
  t.after(() => server.close())
  await server.command('CONFIG SET requirepass other')
  const reason = await new Promise<Error>(resolve => {
    const url = `redis://me:geheim@127.0.0.1:${server.port}`
    const connection = connect([url], (_part, reason) => {
      connection.close()
      resolve(reason)
    })
  })
  assert.match(reason.message, /^Redis at 127\.0\.0\.1:\d+ cannot be used: WRONGPASS/)
  // As a log would show it, with all properties.
  assert.doesNotMatch(inspect(reason, { depth: null }), /geheim/)
})

test('several addresses, or one with ?cluster=true, are a cluster; those with ?sentinel are Sentinels', () => {
  assert.equal(kindOf(['redis://a']), 'server')
  assert.equal(kindOf(['redis://a?cluster=true']), 'cluster')
  assert.equal(kindOf(['redis://a', 'redis://b']), 'cluster')
  assert.equal(kindOf(['redis://a?sentinel=pets']), 'sentinels')
  assert.equal(kindOf(['redis://a?sentinel=pets', 'redis://b?sentinel=pets']), 'sentinels')
})

test('user, password and database come from the URL', async t => {
  if (noRedis) return void skip(t, noRedis)
  const server = await startRedis()
  t.after(() => server.close())
  await server.command('ACL SETUSER petstore on >ge/hei@m ~petstore:* +@all')
  await server.command('ACL SETUSER default off')
  const url = `redis://petstore:${encodeURIComponent('ge/hei@m')}@127.0.0.1:${server.port}`
  const connection = await open(t, `${url}/3`)
  await connection.run('settleBan', 'petstore:{a}', ...['1', 5, 1, 60_000, 1])
  for (const [database, keys] of [
    ['/3', 1],
    ['', 0],
  ] as const) {
    const own = new Redis(`${url}${database}`)
    t.after(() => own.disconnect())
    assert.equal(await own.exists('petstore:{a}'), keys, 'each database has its own keys')
  }
})

test('rediss:// means TLS, and the certificate is checked', async t => {
  if (noRedis) return void skip(t, noRedis)
  if (!needs(t, 'openssl')) return
  const folder = await temporaryFolder(t)
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', certificate, ...subject], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // The server runs as another user.
  for (const file of [folder, certificate, key]) chmodSync(file, 0o755)
  const port = await findFreePort()
  const options = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-auth-clients', 'no']
  const server = await startRedis(['--tls-port', String(port), ...options])
  t.after(() => server.close())

  const refused = Promise.withResolvers<Error>()
  const distrusting = connect([`rediss://localhost:${port}`], (_, reason) => refused.resolve(reason))
  t.after(() => distrusting.close())
  assert.match((await refused.promise).message, /self-signed certificate/)

  const trusted = getCACertificates()
  setDefaultCACertificates([...trusted, readFileSync(certificate, 'utf8')])
  t.after(() => setDefaultCACertificates(trusted))
  const connection = await open(t, `rediss://localhost:${port}`)
  assert.ok(Number(await connection.run('probe', 'petstore:{a}')) > 0)
})

test('scripts that are running when the connection ends fail at once and are not sent again', async t => {
  if (noRedis) return void skip(t, noRedis)
  const server = await startRedis()
  t.after(() => server.close())
  const lost: Error[] = []
  const connection = connect([server.url], (_, reason) => lost.push(reason))
  t.after(() => connection.close())
  await connection.opened
  await server.signal('SIGSTOP')
  // Not because of the timeout of a second.
  const failing = assert.rejects(connection.run('probe', 'petstore:{a}'), { name: 'MaxRetriesPerRequestError' })
  await server.signal('SIGKILL')
  await failing
  await assert.rejects(connection.run('probe', 'petstore:{a}'), /is not connected/)
  await server.start()
  await eventually(() => connection.run('probe', 'petstore:{b}'))
  assert.match(await server.command('EXISTS petstore:{a}'), /^:0/)
  assert.ok(lost.length > 0)
})

test('a server that is still loading counts as down, and opening does not wait for it', async t => {
  if (noRedis) return void skip(t, noRedis)
  // Loading takes 20 ms for each key, and the server answers in between.
  const slowly = [
    '--key-load-delay',
    '20000',
    '--loading-process-events-interval-bytes',
    '1024',
    '--rdbcompression',
    'no',
  ]
  const server = await startRedis(slowly)
  t.after(() => server.close())
  for (let key = 0; key < 100; key += 1) await server.command(`SET other:${key} ${'x'.repeat(4_000)}`)
  assert.match(await server.command('SAVE'), /^\+OK/)
  await server.signal('SIGKILL')
  const isLoaded = server.start()
  await eventually(async () => assert.match(await server.command('PING'), /^-LOADING/))
  const limiters = await openLimiters([server.url], { store: await openStore(t) })
  t.after(() => limiters.close())
  assert.match(await server.command('PING'), /^-LOADING/, 'opening did not wait for it')
  assert.equal(limiters.lost.length, 1)
  await isLoaded
  await eventually(() => assert.equal(limiters.returned, 1))
})

test('the reason for a lost connection is not reported for the next one', async t => {
  if (noRedis) return void skip(t, noRedis)
  const server = await startRedis()
  t.after(() => server.close())
  await server.command('CONFIG SET requirepass other')
  const lost: string[] = []
  const connection = connect([`redis://:wrong@127.0.0.1:${server.port}`], (_, reason) => lost.push(reason.message))
  t.after(() => connection.close())
  await eventually(() => assert.match(lost[0] ?? '', /^Redis at 127\.0\.0\.1:\d+ cannot be used: WRONGPASS/))
  const admin = connectTo(server.port, '127.0.0.1')
  t.after(() => admin.destroy())
  admin.write('AUTH other\r\nCONFIG SET requirepass wrong\r\n')
  await eventually(() => connection.run('probe', 'petstore:{a}'))
  admin.write('CLIENT KILL TYPE normal\r\n')
  await eventually(() => assert.equal(lost.at(-1), 'The connection to Redis was closed.'))
})

for (const [what, urls, reason] of [
  ['one server', ['redis://user:secret@127.0.0.1:1'], 'Redis at 127.0.0.1:1 cannot be used: connection refused.'],
  [
    'a cluster',
    ['redis://127.0.0.1:1', 'redis://127.0.0.1:2'],
    'Redis at 127.0.0.1:1, 127.0.0.1:2 cannot be used: no node of the cluster responds.',
  ],
] as const) {
  test(`without Redis at the start, the reason names the server: ${what}`, async t => {
    const limiters = await openLimiters(urls, { store: await openStore(t) })
    t.after(() => limiters.close())
    assert.deepEqual(
      limiters.lost.map(error => (error as Error).message),
      [reason],
    )
  })
}

for (const isThere of [true, false]) {
  test(`a process ends once it has closed its limiters, ${isThere ? 'with' : 'without'} Redis`, async t => {
    if (noRedis) return void skip(t, noRedis)
    const server = await startRedis()
    t.after(() => server.close())
    if (!isThere) await server.signal('SIGKILL')
    const { stdout, stderr } = await run(process.execPath, [PROCESS, server.url], { timeout: 20_000 })
    assert.deepEqual(JSON.parse(stdout), { lost: isThere ? 0 : 1, outcomes: ['admitted'] })
    assert.equal(stderr, '')
  })
}

async function open(t: TestContext, url: string): Promise<Connection> {
  const connection = connect([url], () => {})
  t.after(() => connection.close())
  await connection.opened
  return connection
}
