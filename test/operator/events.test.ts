import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { revokeToken } from '../../src/domain/administration/tokens.ts'
import { Events } from '../../src/operator/events.ts'
import { petstore } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import {
  type CallOptions,
  connectToOperators,
  type OperatorService,
  startOperatorService,
} from '../support/operator.ts'
import type { Connection } from '../support/raw.ts'
import { openStore } from '../support/store.ts'

// Events: operators are notified of changes by anyone, without polling.

const NAMES = ['animals', 'accounts', 'audit'] as const

type Versions = Record<(typeof NAMES)[number], string>

test('a stream begins with the versions', async t => {
  const service = await startOperatorService(t)
  const answer = await service.call('GET', '/events', { token: service.staff.token })
  assert.equal(answer.header('content-type'), 'text/event-stream')
  assert.match(answer.text, /^retry: 5000\nevent: versions\ndata: \{.*\}\n\n$/)
  assert.deepEqual(versionsIn(answer.body), await service.store.readVersions())
  const head = await service.call('HEAD', '/events')
  assert.deepEqual([head.status, head.text], [200, ''])
})

test('every change arrives soon, whoever makes it, as a new version of the resource', async t => {
  const service = await startOperatorService(t)
  const { account, keyId } = await service.createCaller()
  const { connection, first } = await listen(service)
  const settings = { PETSTORE_DATA: service.config.dataFolder }
  const rex = { name: 'Rex', categoryId: 1 }
  let last = first
  for (const [change, changed] of [
    [() => service.store.createPet({ name: 'Rex', categoryId: 1n, status: 'sold' }, 0), ['animals']],
    [() => service.call('POST', '/pets', { body: rex }), ['animals', 'audit']],
    [() => service.call('POST', `/accounts/${account.id}/suspend`), ['accounts', 'audit']],
    [() => service.call('POST', `/keys/${keyId}/revoke`), ['accounts', 'audit']],
    [() => petstore(['pet', 'add', 'Max', '--category', '1'], settings), ['animals', 'audit']],
  ] as const) {
    const before = last
    await change()
    const wanted = JSON.stringify(await service.store.readVersions())
    const changedAt = performance.now()
    // A change may become visible in two steps.
    while (JSON.stringify(last) !== wanted) last = versionsIn(await connection.readChunk())
    const milliseconds = performance.now() - changedAt
    assert.ok(milliseconds < 1_500, `after ${milliseconds} ms`)
    assert.deepEqual(
      NAMES.filter(name => before[name] !== last[name]),
      changed,
    )
  }
})

test('a stream ends with its session or its token, even when either expires', async t => {
  const service = await startOperatorService(t)
  const { cookie, csrf } = await service.signIn(service.staff.token)
  const { cookie: other } = await service.signIn(service.staff.token)
  const signedOut = await listen(service, { cookie })
  const stays = await listen(service, { cookie: other })
  await service.call('DELETE', '/session', { cookie, csrf })
  await ended(signedOut.connection)
  const limited = await service.createToken('staff', { expiresAt: service.clock.now + 60_000 })
  const expires = await listen(service, { token: limited.token })
  service.clock.advance(60_000)
  await ended(expires.connection)
  await revokeToken(service.adminContext(), String(service.staff.id))
  await ended(stays.connection)
})

test('streams end when the service stops, and do not hold it up', async t => {
  const service = await startOperatorService(t)
  const { connection } = await listen(service)
  const closing = service.close()
  const startedAt = performance.now()
  await Promise.all([ended(connection), closing])
  assert.ok(performance.now() - startedAt < 3_000)
})

test('a token has at most ten streams: a further one ends the oldest', async t => {
  const service = await startOperatorService(t)
  const streams = []
  for (let n = 0; n < 11; n += 1) streams.push(await listen(service))
  const others = await listen(service, { token: service.staff.token })
  const [oldest, ...newer] = streams
  assert.ok(oldest)
  await ended(oldest.connection)
  await service.call('POST', '/pets', { body: { name: 'Rex', categoryId: 1 } })
  for (const { connection } of [...newer, others]) assert.ok(versionsIn(await connection.readChunk()).animals)
})

test('the store is only polled while someone listens, and a silent stream is kept alive', async t => {
  const store = await openStore(t)
  let asked = 0
  const readVersions = () => {
    asked += 1
    return store.readVersions()
  }
  const events = new Events({ store: { readVersions }, isStopping: () => false, now: Date.now, keepAliveMs: 100 })
  const body = await events.open({ tokenId: 1n, expiresAt: undefined, isValid: async () => true })
  const texts: string[] = []
  body.on('data', chunk => texts.push(String(chunk)))
  await eventually(() => assert.ok(texts.includes(': still here\n\n')))
  body.destroy()
  await once(body, 'close')
  // A poll that is in progress may still ask.
  await sleep(600)
  const before = asked
  await sleep(1_200)
  assert.equal(asked, before)
})

test('a store that fails for a while ends no stream', async t => {
  const store = await openStore(t)
  let isDown = false
  const readVersions = async () => {
    if (isDown) throw new Error('down')
    return store.readVersions()
  }
  const events = new Events({ store: { readVersions }, isStopping: () => false, now: Date.now, keepAliveMs: 100 })
  const isValid = async () => {
    if (isDown) throw new Error('down')
    return true
  }
  const body = await events.open({ tokenId: 1n, expiresAt: undefined, isValid })
  t.after(() => body.destroy())
  const texts: string[] = []
  body.on('data', chunk => texts.push(String(chunk)))
  isDown = true
  await eventually(() => assert.ok(texts.includes(': still here\n\n')))
  await store.createPet({ name: 'Rex', categoryId: 1n, status: 'sold' }, 0)
  isDown = false
  await eventually(() => assert.ok(texts.some(text => text.includes('"animals":"1.0"'))))
})

/** A stream that has begun. */
async function listen(
  service: OperatorService,
  { token = service.admin.token, cookie }: CallOptions = {},
): Promise<{ connection: Connection; first: Versions }> {
  const connection = await connectToOperators(service)
  const credential = cookie === undefined ? `Authorization: Bearer ${token}` : `Cookie: ${cookie}`
  connection.write(
    `GET /admin/v1/events HTTP/1.1\r\nHost: ${new URL(service.operatorUrl).host}\r\n${credential}\r\n\r\n`,
  )
  const answer = await connection.answer()
  assert.equal(answer.status, 200, answer.text)
  return { connection, first: versionsIn(answer.body) }
}

/** Reads until the stream has ended in order. */
async function ended(connection: Connection): Promise<void> {
  while ((await connection.readChunk()).length > 0);
}

function versionsIn(event: Buffer): Versions {
  return JSON.parse(/^data: (.*)$/m.exec(event.toString())?.[1] ?? assert.fail(`no versions: ${event}`))
}
