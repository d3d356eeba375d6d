import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { examine } from '../src/app/checks/examine.ts'
import { NEEDED_COMMANDS, NEEDED_RIGHTS } from '../src/redis/scripts.ts'
import { HANDBOOK } from './support/handbook.ts'
import { skip } from './support/servers/needs.ts'
import { noRedis, type RedisServer, startRedis } from './support/servers/redis.ts'
import { startCluster, THREE_RANGES } from './support/servers/redis-cluster.ts'
import { createCaller, openLimiters } from './support/servers/redis-limiters.ts'
import { startWatchedRedis } from './support/servers/redis-sentinel.ts'
import { openStore } from './support/store.ts'

// A Redis user with exactly the rights that the handbook lists, and with less.

const NOON = Date.UTC(2027, 2, 1, 12)
const SECOND_MS = 1_000
const CLUSTER_RIGHTS = `${NEEDED_RIGHTS} +cluster|slots`

test('the handbook lists exactly the rights that the scripts need', () => {
  assert.ok(HANDBOOK.includes(`\`${NEEDED_RIGHTS}\``), `the handbook must have \`${NEEDED_RIGHTS}\``)
})

test('with exactly these rights, Redis counts every call from the first one through a ban to the next day, and doctor finds no fault', async t => {
  if (noRedis) return void skip(t, noRedis)
  const single = await startServer(t)
  await grant(single, NEEDED_RIGHTS)
  const cluster = await startCluster(t, THREE_RANGES)
  for (const node of cluster) await grant(node, CLUSTER_RIGHTS)
  const { primary, replica, urls } = await startWatchedRedis(t)
  for (const server of [primary, replica]) await grant(server, NEEDED_RIGHTS)

  for (const places of [[single.url], cluster.map(({ url }) => url), urls]) {
    const own = places.map(asUser)
    await assertCounts(t, own)
    const findings = await examineRedis(own)
    const warnings = findings.filter(({ outcome }) => outcome !== 'ok').map(({ message }) => message)
    assert.match(warnings[0] ?? '', /does not let its user run INFO, .*; grant \+info\.$/)
    assert.deepEqual(
      findings.filter(({ outcome }) => outcome === 'fail'),
      [],
    )
    assert.match(findings.at(-1)?.message ?? '', /^Calls can be counted in Redis at /)
  }
})

test('doctor fails without any one of these rights, and names the command', async t => {
  if (noRedis) return void skip(t, noRedis)
  const server = await startServer(t)
  assert.ok(NEEDED_COMMANDS.length >= 10, NEEDED_COMMANDS.join())
  for (const command of NEEDED_COMMANDS) {
    for (const rights of [NEEDED_RIGHTS.replace(` +${command}`, ''), `~petstore:* &petstore:* +@all -${command}`]) {
      await grant(server, rights)
      const failed = await failures([server.url])
      assert.equal(failed.length, 1, `${rights}: ${failed.join('\n')}`)
      assert.match(
        failed[0] as string,
        new RegExp(`\\b${command}\\b.*; its user needs the rights ~petstore:\\* &petstore:\\* \\+`, 'i'),
      )
    }
  }
  await grant(server, '~other:* +@all')
  assert.match((await failures([server.url])).join(), /keys.*; its user needs the rights ~petstore:\* /)
  await grant(server, `${NEEDED_RIGHTS}`)
  assert.match((await failures([`${server.url}/1`])).join(), /'select' command/)
  assert.deepEqual(await failures([server.url]), [])
})

test('doctor tries the rights on every node of a cluster, and on the server behind Sentinels', async t => {
  if (noRedis) return void skip(t, noRedis)
  const nodes = await startCluster(t, THREE_RANGES)
  for (const node of nodes) await grant(node, CLUSTER_RIGHTS)
  const [first, , last] = nodes as [RedisServer, RedisServer, RedisServer]
  await grant(last, CLUSTER_RIGHTS.replace(' +hset', ''))
  const [failed] = await failures([`${first.url}?cluster=true`])
  assert.match(
    failed ?? '',
    new RegExp(`Redis at 127\\.0\\.0\\.1:${last.port} cannot be used: the command HSET failed`),
  )
  for (const node of nodes) await grant(node, NEEDED_RIGHTS)
  assert.match((await failures([`${first.url}?cluster=true`])).join(), /'cluster\|slots' command/)

  const { primary, urls } = await startWatchedRedis(t)
  await grant(primary, NEEDED_RIGHTS.replace(' +pexpire', ''))
  assert.match((await failures(urls)).join(), /the command PEXPIRE failed/)
})

test('doctor leaves no key behind', async t => {
  if (noRedis) return void skip(t, noRedis)
  const server = await startServer(t)
  await grant(server, NEEDED_RIGHTS)
  assert.deepEqual(await failures([server.url]), [])
  assert.equal(await server.command('DBSIZE'), ':0\r\n')
})

/** Two instances count calls together, until the key is banned and on the next day, and never decide a call alone. */
async function assertCounts(t: TestContext, urls: readonly string[]): Promise<void> {
  const store = await openStore(t)
  const ban = { after: 2, withinSeconds: 600, forSeconds: 60, maxSeconds: 120 }
  const open = () => openLimiters(urls, { store, instances: 2, ownClock: true, ban })
  const instances = [await open(), await open()] as const
  t.after(() => Promise.all(instances.map(limiters => limiters.close())))
  const caller = await createCaller(store, { perMinute: 3, perDay: 1_000 })
  const outcomesAt = async (seconds: readonly number[]) => {
    const outcomes: string[] = []
    for (const [index, second] of seconds.entries()) {
      const { accounts, addresses } = instances[index % 2] as (typeof instances)[0]
      const now = NOON + second * SECOND_MS
      outcomes.push((await accounts.consume(caller, () => '192.0.2.1', now)).outcome)
      assert.equal((await addresses.consume('192.0.2.1', now)).outcome, 'admitted')
    }
    return outcomes
  }
  const admitted = ['admitted', 'admitted', 'admitted']
  assert.deepEqual(await outcomesAt([0, 0, 0, 1, 30, 50, 51]), [...admitted, 'refused', 'refused', 'banned', 'banned'])
  assert.deepEqual(await outcomesAt([86_400, 86_400, 86_400, 86_400]), [...admitted, 'refused'])
  for (const { decidedAlone, lost, failed } of instances) assert.deepEqual({ decidedAlone, lost, failed }, ALL_IN_REDIS)
}

const ALL_IN_REDIS = { decidedAlone: 0, lost: [], failed: [] }

async function startServer(t: TestContext): Promise<RedisServer> {
  const server = await startRedis()
  t.after(() => server.close())
  return server
}

async function grant(server: RedisServer, rights: string): Promise<void> {
  assert.match(await server.command(`ACL SETUSER petstore reset on >secret ${rights}`), /^\+OK/)
}

/** The URL with the user whose rights are tested. */
function asUser(url: string): string {
  return url.replace('redis://', 'redis://petstore:secret@')
}

function examineRedis(urls: readonly string[]) {
  return examine({ PETSTORE_DATA: '.', PETSTORE_REDIS_URL: urls.join(), PETSTORE_PRODUCTION_URL: '' }, Date.now()).then(
    findings => findings.filter(({ check, message }) => check === 'redis' || message.includes('clock of Redis')),
  )
}

async function failures(urls: readonly string[]): Promise<string[]> {
  const findings = await examineRedis(urls.map(asUser))
  return findings.filter(({ outcome }) => outcome === 'fail').map(({ message }) => message)
}
