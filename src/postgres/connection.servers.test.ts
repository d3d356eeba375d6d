import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { inspect } from 'node:util'
import { Client } from 'pg'
import { needs, skip } from '../../test/support/servers/needs.ts'
import { noPostgres, startPostgres } from '../../test/support/servers/postgres.ts'
import { parseConfig } from '../app/config.ts'
import { UserError } from '../domain/errors.ts'
import { create, newPet } from '../domain/store-contract/fixtures.contract.ts'
import { COMMAND_CONNECT_MS, Connection } from './connection.ts'
import { inspectDatabase } from './inspect.ts'
import { PostgresStore } from './store.ts'

const PASSWORD = 's3cret:/@?#%&'

test('a database is reached by a socket of this machine, if the settings name one', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const folder = await mkdtemp(join(tmpdir(), 'pg-socket-'))
  await chmod(folder, 0o777)
  const server = await startPostgres([`unix_socket_directories=${folder}`])
  t.after(async () => {
    await server.close()
    await rm(folder, { recursive: true })
  })
  const setting = `postgres:///postgres?host=${folder}&port=${server.port}&user=postgres`
  const { databaseUrl = '' } = parseConfig({ PETSTORE_DATABASE_URL: setting })
  const store = await PostgresStore.open(databaseUrl, 'production')
  try {
    assert.equal(store.name, `${folder}/postgres`)
    assert.equal((await create(store, newPet())).id, 1n)
  } finally {
    await store.close()
  }
})

test('password and TLS are as the URL says', async t => {
  const place = await makeSafePlace(t)
  if (!place) return
  const { url, certificate, otherCertificate } = place
  const warnings: string[] = []
  const warn = (warning: Error) => warnings.push(warning.message)
  process.on('warning', warn)
  t.after(() => process.off('warning', warn))

  await t.test('each mode that asks for TLS checks the certificate and the name, and warns of nothing', async () => {
    for (const mode of ['verify-full', 'verify-ca', 'require', 'prefer']) {
      const trusted = { sslmode: mode, sslrootcert: certificate }
      await assertServes(url(trusted))
      await assertRefused(url({ ...trusted, sslrootcert: otherCertificate }), /certificate/, mode)
      await assertRefused(url({ sslmode: mode }), /certificate/, mode)
      await assertRefused(url({ ...trusted, host: 'localhost' }), /altnames/, mode)
    }
    await assertServes(url({ sslrootcert: certificate }))
    await new Promise(setImmediate)
    assert.deepEqual(warnings, [])
  })

  await t.test('nothing is checked where the URL says so', async () => {
    await assertServes(url({ sslmode: 'no-verify' }))
    await assertServes(url({ sslmode: 'require', uselibpqcompat: 'true' }))
  })

  await t.test('a server that demands TLS takes nobody without', async () => {
    await assertRefused(url({}), /no encryption/)
    await assertRefused(url({ sslmode: 'disable' }), /no encryption/)
  })

  await t.test('a certificate that is not there is a mistake', async () => {
    await assertRefused(url({ sslmode: 'verify-full', sslrootcert: '/nowhere/root.crt' }), /nowhere\/root\.crt/)
  })

  await t.test('a wrong password is refused, and shown nowhere', async () => {
    const wrong = url({ sslmode: 'verify-full', sslrootcert: certificate }, `${PASSWORD}!`)
    await assertRefused(wrong, /password authentication failed for user "shop"/)
  })
})

test('a server without TLS is refused in each mode that asks for it, by the name of the mode', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const server = await startPostgres()
  t.after(() => server.close())
  for (const mode of ['allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']) {
    const message = new RegExp(
      `sslmode=${mode} requires TLS here, but the server offers none; turn TLS on there, or write sslmode=disable for an unencrypted connection`,
    )
    const url = `${server.url}?sslmode=${mode}`
    await assertRefused(url, message, mode)
    await assert.rejects(inspectDatabase(url, Date.now()), message)
  }
  await assertRefused(`${server.url}?sslmode=prefer&uselibpqcompat=true`, /sslmode=prefer requires TLS here/)
  await assertRefused(`${server.url}?ssl=true`, /ssl=true requires TLS here/)
  process.env.PGSSLMODE = 'prefer'
  t.after(() => delete process.env.PGSSLMODE)
  await assertRefused(server.url, /PGSSLMODE requires TLS here/)
  const store = await PostgresStore.open(`${server.url}?sslmode=disable`, 'production')
  await store.close()
})

test('a connection starts without parameters that a pooler refuses', async t => {
  const started = Promise.withResolvers<Buffer>()
  const pooler = createServer(client => client.once('data', started.resolve).on('error', () => {}))
  await once(pooler.listen(0, '127.0.0.1'), 'listening')
  t.after(() => pooler.close())
  const { port } = pooler.address() as AddressInfo
  const bounds = { connectMs: COMMAND_CONNECT_MS, statementMs: 1_000 }
  const connection = new Connection(`postgres://shop@127.0.0.1:${port}/animals`, bounds)
  const refused = assert.rejects(connection.open())
  // Length and version of the protocol, then names and values, each ending in a zero.
  const parameters = (await started.promise).toString('latin1', 8).split('\0')
  connection.cut()
  await refused
  const names = parameters.filter((name, index) => index % 2 === 0 && name !== '')
  assert.deepEqual(names.toSorted(), ['application_name', 'client_encoding', 'database', 'user'])
})

/** Every connection of a store is encrypted. */
async function assertServes(url: string): Promise<void> {
  const store = await PostgresStore.open(url, 'production', { instances: 'many' })
  try {
    await create(store, newPet())
    await store.listAccounts({ at: 0 })
    await store.setPlan(
      1n,
      'free',
      { perMinute: 1, perDay: 1 },
      { at: 0, actor: '', origin: '', action: 'account.set-plan', details: {} },
    )
    const client = await new Connection(url, { connectMs: COMMAND_CONNECT_MS, statementMs: 0 }).open()
    const { rows } = await client.query(
      "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'petstore'",
    )
    await client.end()
    assert.ok(rows.length >= 4, `${rows.length} connections`)
    assert.ok(rows.every(({ ssl }) => ssl))
  } finally {
    await store.close()
  }
}

async function assertRefused(url: string, message: RegExp, which = 'it'): Promise<void> {
  const error = await PostgresStore.open(url, 'production').then(
    () => assert.fail(`${which}: opened, and not refused with ${message}`),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof UserError, String(error))
  assert.match(error.message, message, which)
  const shown = inspect(error, { depth: 9, showHidden: true })
  for (const secret of [PASSWORD, encodeURIComponent(PASSWORD)]) assert.ok(!shown.includes(secret), shown)
}

interface SafePlace {
  url(parameters: Record<string, string>, password?: string): string
  /** The server's certificate, which clients trust. */
  certificate: string
  /** A certificate of an unknown authority. */
  otherCertificate: string
}

/** A server that only accepts the shop's connections with TLS and a password. */
async function makeSafePlace(t: TestContext): Promise<SafePlace | undefined> {
  if (noPostgres) return void skip(t, noPostgres)
  if (!needs(t, 'openssl')) return undefined
  const server = await startPostgres()
  const folder = await mkdtemp(join(tmpdir(), 'petstore-tls-'))
  t.after(async () => {
    await server.close()
    await rm(folder, { recursive: true })
  })
  const admin = new Client({ connectionString: server.url })
  await admin.connect()
  // The server creates its files itself, in its own folder: it must own them, and no one else may read them.
  const run = (command: string) => admin.query(`COPY (SELECT '') TO PROGRAM '${command}'`)
  await run(`openssl ${SELF_SIGNED.join(' ')} -keyout server.key -out server.crt && chmod 600 server.key`)
  const { rows } = await admin.query("SELECT pg_read_file('server.crt') AS certificate")
  await admin.query(`CREATE ROLE shop LOGIN PASSWORD '${PASSWORD}'`)
  await admin.query('CREATE DATABASE animals OWNER shop')
  await admin.query(`COPY (SELECT unnest(ARRAY['host all postgres all trust', 'hostssl all shop all scram-sha-256']))
    TO PROGRAM 'cat > pg_hba.conf'`)
  await admin.query('ALTER SYSTEM SET ssl = on')
  await admin.query('SELECT pg_reload_conf()')
  await admin.end()
  const certificate = join(folder, 'server.crt')
  await writeFile(certificate, rows[0].certificate)
  const otherCertificate = join(folder, 'other.crt')
  const other = ['-keyout', join(folder, 'other.key'), '-out', otherCertificate]
  execFileSync('openssl', [...SELF_SIGNED, ...other], { stdio: 'ignore' })
  return {
    url({ host = '127.0.0.1', ...parameters }, password = PASSWORD) {
      const query = new URLSearchParams(parameters)
      return `postgres://shop:${encodeURIComponent(password)}@${host}:${server.port}/animals?${query}`
    },
    certificate,
    otherCertificate,
  }
}

const SELF_SIGNED = [
  ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
  ...['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'],
]
