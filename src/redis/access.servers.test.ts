import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { makeAuthority } from '../../test/support/certificates.ts'
import { temporaryFolder } from '../../test/support/folder.ts'
import { HANDBOOK } from '../../test/support/handbook.ts'
import { skip } from '../../test/support/servers/needs.ts'
import { findFreePort } from '../../test/support/servers/private-server.ts'
import { noRedis, type RedisServer, startRedis } from '../../test/support/servers/redis.ts'
import { startCluster, THREE_RANGES } from '../../test/support/servers/redis-cluster.ts'
import { createCaller, openLimiters } from '../../test/support/servers/redis-limiters.ts'
import { PRIMARY_NAME, startSentinel } from '../../test/support/servers/redis-sentinel.ts'
import { SOURCE } from '../../test/support/source.ts'
import { openStore } from '../../test/support/store.ts'
import { inspectRedis, inspectSentinel } from './inspect.ts'

// TLS, a user with only the rights that the handbook names, and passwords; on a cluster and behind Sentinel.

const PASSWORD = 'ge/hei@m'
const SECRET = encodeURIComponent(PASSWORD)
const [, RIGHTS = '', CLUSTER_RIGHTS = ''] =
  /`(~petstore:[^`]+)`,\s+on\s+a\s+cluster\s+also\s+`([^`]+)`/.exec(HANDBOOK) ?? []
const [, SENTINEL_RIGHTS = ''] = /Their user\s+needs\s+`(\+[^`]+)`/.exec(HANDBOOK) ?? []

test('a cluster is used with TLS, by a user with the rights that the handbook names', async t => {
  if (noRedis) return void skip(t, noRedis)
  const tls = await prepareTls(t)
  const ports = await Promise.all(THREE_RANGES.map(() => findFreePort()))
  const nodes = await startCluster(t, THREE_RANGES, index => [...tls, '--tls-cluster', 'yes', ...at(ports[index])])
  for (const node of nodes) await lock(node, `${RIGHTS} ${CLUSTER_RIGHTS}`)
  await assertCounts(t, [`rediss://petstore:${SECRET}@127.0.0.1:${ports[0]}?cluster=true`])
  await assertCounts(
    t,
    ports.map(port => `rediss://petstore:${SECRET}@127.0.0.1:${port}`),
  )
})

test('a server behind a Sentinel is used with TLS, each with its own user and password', async t => {
  if (noRedis) return void skip(t, noRedis)
  const tls = await prepareTls(t)
  const [port, sentinelPort] = [await findFreePort(), await findFreePort()]
  const server = await startRedis([...tls, ...at(port)])
  t.after(() => server.close())
  const lines = [...linesOf([...tls, ...at(sentinelPort)]), 'tls-replication yes']
  const sentinel = await startSentinel(t, port, lines)
  await lock(server, RIGHTS)
  await sentinel.command(`ACL SETUSER watcher on >other%20secret ${SENTINEL_RIGHTS}`)
  await sentinel.command('ACL SETUSER default off')
  const url = `rediss://petstore:${SECRET}@127.0.0.1:${sentinelPort}?sentinel=${PRIMARY_NAME}`
  const full = `${url}&sentinelUsername=watcher&sentinelPassword=other%2520secret`
  await assertCounts(t, [full])
  assert.equal((await inspectRedis([full])).state, undefined, 'INFO is not among the rights')
  await assert.rejects(inspectSentinel(full), /NOQUORUM/)
  await assert.rejects(inspectSentinel(url), /NOAUTH/)
  await assert.rejects(inspectRedis([url]))
})

/** Two instances count calls together, exactly. */
async function assertCounts(t: TestContext, urls: readonly string[]): Promise<void> {
  const store = await openStore(t)
  const instances = await Promise.all([1, 2].map(() => openLimiters(urls, { store, instances: 2 })))
  t.after(() => Promise.all(instances.map(limiters => limiters.close())))
  const caller = await createCaller(store, { perMinute: 10, perDay: 1_000 })
  const calls = instances.flatMap(({ accounts }) =>
    Array.from({ length: 20 }, () => accounts.consume(caller, SOURCE, 0)),
  )
  const outcomes = (await Promise.all(calls)).map(({ outcome }) => outcome)
  assert.equal(outcomes.filter(outcome => outcome === 'admitted').length, 10)
  assert.deepEqual(
    instances.flatMap(({ lost }) => lost),
    [],
  )
}

/** Options of a server with a certificate, which this process trusts until the test ends. */
async function prepareTls(t: TestContext): Promise<string[]> {
  const folder = await temporaryFolder(t)
  const authority = makeAuthority()
  const { cert, key } = authority.issue()
  const files = { cert, key, authority: authority.cert }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  // The servers run as another user.
  for (const file of [folder, ...Object.keys(files).map(name => join(folder, name))]) chmodSync(file, 0o755)
  const trusted = getCACertificates()
  setDefaultCACertificates([...trusted, authority.cert])
  t.after(() => setDefaultCACertificates(trusted))
  const [certFile, keyFile, authorityFile] = ['cert', 'key', 'authority'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const own = ['--tls-cert-file', certFile, '--tls-key-file', keyFile, '--tls-ca-cert-file', authorityFile]
  return [...own, '--tls-auth-clients', 'no']
}

function at(port: number | undefined): string[] {
  return ['--tls-port', String(port)]
}

/** The options as lines of a file: each has one value. */
function linesOf(options: readonly string[]): string[] {
  return options.flatMap((option, index) => (index % 2 === 0 ? [`${option.slice(2)} ${options[index + 1]}`] : []))
}

/** Only admits the service. */
async function lock(server: RedisServer, rights: string): Promise<void> {
  assert.match(await server.command(`ACL SETUSER petstore on >${PASSWORD} ${rights}`), /^\+OK/)
  assert.match(await server.command('ACL SETUSER default off'), /^\+OK/)
}
