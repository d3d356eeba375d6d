import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { labelCategory } from '../../src/domain/administration/categories.ts'
import { revokeToken } from '../../src/domain/administration/tokens.ts'
import { IDEMPOTENCY_MS } from '../../src/domain/idempotency.ts'
import { SECRET_PREFIX } from '../../src/domain/secret-forms.ts'
import type { AdminOperation } from '../../src/operator/operation.ts'
import { OPERATIONS } from '../../src/operator/routes.ts'
import { type AdminAnswer, assertRefused, type CallOptions, type OperatorService } from './operator.ts'
import { actionOf, type Example, exampleOf } from './operator-examples.ts'
import { only } from './rate.ts'

/** The operations that take an `Idempotency-Key`, with a JSON body. */
const CREATIONS = OPERATIONS.filter(({ isRepeatable, body }) => isRepeatable && body)

/** Checks the promises about `Idempotency-Key` for each operation that creates something. */
export async function checkRepeatedCreations(t: TestContext, service: OperatorService, other = service): Promise<void> {
  for (const operation of CREATIONS) {
    await t.test(
      `${operation.id}: the same request with the same key creates once, and gets the first answer again`,
      () => checkReplay(service, other, operation),
    )
    await t.test(`${operation.id}: of requests with the same key at the same time, one creates`, () =>
      checkParallel(service, other, operation),
    )
    await t.test(`${operation.id}: a key is for one request of one operator`, () => checkScope(service, operation))
    await t.test(`${operation.id}: an operator without the right to it gets no answer again`, () =>
      checkRights(service, operation),
    )
    await t.test(`${operation.id}: a key is forgotten after 24 hours`, () => checkExpiry(service, other, operation))
  }
}

async function checkReplay(service: OperatorService, other: OperatorService, operation: AdminOperation): Promise<void> {
  const example = await exampleOf(operation, service)
  const key = newKey()
  const first = await send(service, example, key)
  assert.equal(first.status, 201, first.text)
  assert.equal(first.header('idempotency-replayed'), undefined)
  const before = await countCreations(service, operation)
  // The answer stays the first one, whatever has happened since.
  await labelCategory(service.adminContext(), '1', newKey())
  await service.call('PATCH', `/accounts/${first.value.id}`, { body: { name: newKey() } })
  for (const instance of [service, other]) {
    const again = await send(instance, example, key)
    assert.equal(only(again, 'Idempotency-Replayed'), 'true')
    assert.deepEqual([again.status, again.text], [first.status, first.text])
    for (const name of ['location', 'etag', 'content-type']) assert.equal(again.header(name), first.header(name), name)
  }
  assert.equal(await countCreations(service, operation), before)
  await checkSecrets(service, first, key)
}

/** No secret that the answer shows is in the store, nor the key that opens what is there. */
async function checkSecrets(service: OperatorService, { text }: AdminAnswer, key: string): Promise<void> {
  const dump = await service.backend.dump()
  assert.ok(dump.length > 0)
  assert.ok(!dump.includes(key), 'the key')
  const secrets = text.match(new RegExp(`${SECRET_PREFIX}\\w+`, 'g')) ?? []
  assert.equal(secrets.length, /"(?:key|token|link)":"/.test(text) ? 1 : 0, text)
  for (const secret of secrets) assert.ok(!dump.includes(secret), secret)
}

async function checkParallel(
  service: OperatorService,
  other: OperatorService,
  operation: AdminOperation,
): Promise<void> {
  const example = await exampleOf(operation, service)
  const before = await countCreations(service, operation)
  const key = newKey()
  const instances = [service, other, service, other, service, other]
  const answers = await Promise.all(instances.map(instance => send(instance, example, key)))
  assert.equal(await countCreations(service, operation), before + 1)
  const created = answers.filter(({ status }) => status === 201)
  assert.equal(created.filter(answer => answer.header('idempotency-replayed') === undefined).length, 1)
  assert.equal(new Set(created.map(({ text }) => text)).size, 1)
  for (const refused of answers.filter(({ status }) => status !== 201)) {
    assertRefused(refused, 'idempotency_in_progress')
    assert.match(only(refused, 'Retry-After'), /^[1-9]\d*$/)
  }
}

async function checkScope(service: OperatorService, operation: AdminOperation): Promise<void> {
  const example = await exampleOf(operation, service)
  const key = newKey()
  const { id, token } = await service.createToken('admin')
  const first = await send(service, example, key, { token })
  assert.equal(first.status, 201, first.text)
  const before = await countCreations(service, operation)
  const { cookie, csrf } = await service.signIn(token)
  assert.equal((await send(service, example, key, { cookie, csrf })).text, first.text, 'the same operator, signed in')
  const sameBody = JSON.stringify(example.options.body)
  const spaced = { ...example, options: { ...example.options, body: ` ${sameBody}` } }
  assertRefused(await send(service, spaced, key, { token }), 'idempotency_key_reused')
  const another = CREATIONS.find(one => one !== operation) as AdminOperation
  assertRefused(await send(service, await exampleOf(another, service), key, { token }), 'idempotency_key_reused')
  const ofAnother = await send(service, await exampleOf(operation, service), key)
  assert.equal(ofAnother.status, 201, ofAnother.text)
  assert.notEqual(ofAnother.text, first.text)
  assert.equal(await countCreations(service, operation), before + 1)
  await revokeToken(service.adminContext(), String(id))
}

async function checkRights(service: OperatorService, operation: AdminOperation): Promise<void> {
  const example = await exampleOf(operation, service)
  const key = newKey()
  const { id, token } = await service.createToken('admin')
  assert.equal((await send(service, example, key, { token })).status, 201)
  const { method, path, options } = example
  const held = await service.hold(method, path, { ...options, token, headers: { 'Idempotency-Key': key } })
  await revokeToken(service.adminContext(), String(id))
  assertRefused(await held.finish(), 'invalid_token')
  assertRefused(await send(service, example, key, { token }), 'invalid_token')
}

async function checkExpiry(service: OperatorService, other: OperatorService, operation: AdminOperation): Promise<void> {
  const example = await exampleOf(operation, service)
  const key = newKey()
  const first = await send(service, example, key)
  const clocks = new Set([service.clock, other.clock])
  for (const clock of clocks) clock.advance(IDEMPOTENCY_MS - 1)
  assert.equal((await send(service, example, key)).header('idempotency-replayed'), 'true')
  for (const clock of clocks) clock.advance(1)
  // As a service does each hour. The age of keys is judged at a time that is known to be right.
  await service.store.confirmClock(service.clock.now)
  const later = await send(service, example, key)
  assert.equal(later.header('idempotency-replayed'), undefined)
  // A name that is taken, or a key that already has a successor, cannot be created twice.
  if (later.status === 201) assert.notEqual(later.text, first.text)
  else assertRefused(later, 'conflict')
}

function send(
  service: OperatorService,
  { method, path, options }: Example,
  key: string,
  credentials: Pick<CallOptions, 'token' | 'cookie' | 'csrf'> = {},
): Promise<AdminAnswer> {
  return service.call(method, path, { ...options, ...credentials, headers: { 'Idempotency-Key': key } })
}

function newKey(): string {
  return `once-${crypto.randomUUID()}`
}

/** Each creation has an entry in the audit log, in the same transaction. */
async function countCreations({ store }: OperatorService, operation: AdminOperation): Promise<number> {
  return (await store.listAudit({ action: actionOf(operation), limit: 100_000 })).length
}

/** Checks the promises about `Idempotency-Key` for imports. */
export async function checkRepeatedImports(service: OperatorService, other = service): Promise<void> {
  const count = async () => (await service.call('GET', '/pets/totals')).value.total as bigint
  const importFile = (instance: OperatorService, key: string, body: string, query = '') =>
    instance.call('POST', `/pets/import${query}`, { headers: { 'Idempotency-Key': key }, body, type: 'text/csv' })
  const before = await count()
  const file = 'name,categoryId\nRex,1\nBella,x\n'
  const key = newKey()
  assertRefused(await importFile(service, 'not visible', file), 'invalid_idempotency_key')
  // What changes nothing leaves the key free.
  assert.equal((await importFile(service, key, file, '?dryRun=true&skipBad=true')).value.outcome, 'checked')
  assert.equal((await importFile(service, key, file)).value.outcome, 'refused')
  const first = await importFile(service, key, file, '?skipBad=true')
  assert.deepEqual([first.value.imported, first.value.badLines], [1n, 1n])
  assert.equal(first.header('idempotency-replayed'), undefined)
  for (const instance of [service, other]) {
    const again = await importFile(instance, key, file, '?skipBad=true')
    assert.equal(only(again, 'Idempotency-Replayed'), 'true')
    assert.deepEqual([again.status, again.text], [200, first.text])
    assertRefused(await importFile(instance, key, `${file}Max,1\n`, '?skipBad=true'), 'idempotency_key_reused')
    assertRefused(await importFile(instance, key, file), 'idempotency_key_reused')
  }
  assert.equal(await count(), before + 1n)

  const parallel = newKey()
  const sent = [service, other, service, other].map(instance => importFile(instance, parallel, file, '?skipBad=true'))
  const answers = await Promise.all(sent)
  for (const answer of answers) if (answer.status !== 200) assertRefused(answer, 'idempotency_in_progress')
  const imported = answers.filter(({ status }) => status === 200)
  assert.ok(imported.length > 0)
  assert.equal(new Set(imported.map(({ text }) => text)).size, 1)
  assert.equal(await count(), before + 2n)

  const update = `id,status\n${first.value.firstId},sold\n`
  const corrected = await importFile(service, newKey(), update, '?mode=update')
  assert.deepEqual([corrected.value.updated, corrected.value.unchanged], [1n, 0n])
  const updating = newKey()
  const back = update.replace('sold', 'pending')
  const once = await importFile(service, updating, back, '?mode=update')
  await importFile(service, newKey(), update, '?mode=update')
  assert.equal((await importFile(other, updating, back, '?mode=update')).text, once.text)
  assert.equal((await service.call('GET', `/pets/${first.value.firstId}`)).value.status, 'sold', 'not corrected again')
}
