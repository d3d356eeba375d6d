import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createToken, revokeToken } from '../../src/domain/administration/tokens.ts'
import type { Store } from '../../src/domain/store.ts'
import { STOP_TIMEOUT_MS } from '../../src/http/listener.ts'
import { Events } from '../../src/operator/events.ts'
import { adminContext } from '../support/admin-context.ts'
import { petstore } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import { inTime } from '../support/in-time.ts'
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
/** A change is reported within a second. The rest is for reading the report. */
const SOON_MS = 1_000 + 500

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

test('every change arrives within a second, whoever makes it, as a new version of the resource', async t => {
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
    const arrival = async () => {
      // A change may become visible in two steps.
      while (JSON.stringify(last) !== wanted) last = versionsIn(await connection.readChunk())
    }
    await inTime(SOON_MS, 'the event', arrival())
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
  assert.ok(performance.now() - startedAt < STOP_TIMEOUT_MS)
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

test('a change costs one look-up for each token or session, however many streams and tokens there are', async t => {
  const service = await startOperatorService(t)
  for (let n = 0; n < 20; n += 1) await service.createToken('staff')
  const { cookie } = await service.signIn(service.staff.token)
  const credentials = [{}, { token: service.staff.token }, { cookie }]
  const streams = []
  for (const one of [...credentials, ...credentials, ...credentials]) streams.push(await listen(service, one))
  const { store } = service
  const asked: string[] = []
  const findPermitFault = store.findPermitFault.bind(store)
  store.findPermitFault = (permit, now) => {
    if (permit.role === 'staff') asked.push(`${permit.tokenId} ${permit.sessionHash !== undefined}`)
    return findPermitFault(permit, now)
  }
  store.listTokens = () => assert.fail('all tokens are read')
  await service.store.recordAudit({ at: 0, actor: 'Anna', origin: '', action: 'pet.import', details: {} })
  for (const { connection } of streams) assert.ok(versionsIn(await connection.readChunk()).audit)
  const { admin, staff } = service
  assert.deepEqual(asked.sort(), [`${admin.id} false`, `${staff.id} false`, `${staff.id} true`])
})

test('the store is only polled while someone listens, and a silent stream is kept alive', async t => {
  const store = await openStore(t)
  let asked = 0
  const readVersions = store.readVersions.bind(store)
  store.readVersions = () => {
    asked += 1
    return readVersions()
  }
  const body = await openStream(store)
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

for (const read of ['readVersions', 'findPermitFault'] as const) {
  test(`a store that fails for a while ends no stream: ${read}`, async t => {
    const store = await openStore(t)
    const down = async () => {
      throw new Error('down')
    }
    const working = store[read]
    const body = await openStream(store)
    t.after(() => body.destroy())
    const texts: string[] = []
    body.on('data', chunk => texts.push(String(chunk)))
    store[read] = down
    await store.addPet(
      { name: 'Rex', categoryId: 1n, status: 'sold' },
      { at: 0, actor: 'Anna', origin: '', action: 'pet.create', details: {} },
    )
    await eventually(() => assert.ok(texts.includes(': still here\n\n')))
    Object.assign(store, { [read]: working })
    await eventually(() => assert.ok(texts.some(text => text.includes('"animals":"1.0"'))))
    assert.equal(body.readableEnded, false)
  })
}

/** A stream of a new token, without a service. */
async function openStream(store: Store): Promise<Readable> {
  const token = await createToken(adminContext(store, Date.now()), { name: 'Anna', role: 'admin' })
  const events = new Events({ store, isStopping: () => false, now: Date.now, keepAliveMs: 100 })
  return events.open({ permit: { tokenId: token.id, role: 'staff' }, expiresAt: undefined })
}

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
