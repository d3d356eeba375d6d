import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreUnavailable } from '../../src/domain/errors.ts'
import { IDEMPOTENCY_MS } from '../../src/domain/idempotency.ts'
import { ActionRefused } from '../../src/domain/permit.ts'
import { repeatableRequest, seal } from '../../src/domain/repeatable-request.ts'
import { RunningRequests } from '../../src/domain/running-requests.ts'
import { createOnce } from '../../src/operator/create-once.ts'
import type { Request } from '../../src/operator/handler.ts'
import { OPERATIONS } from '../../src/operator/routes.ts'
import { openDatabase } from '../support/database.ts'
import { assertRefused, startOperatorService } from '../support/operator.ts'
import { checkRepeatedCreations, checkRepeatedImports } from '../support/repeated-creations.ts'

// With an Idempotency-Key, operators can safely repeat what creates something.

test('an operator can repeat every creation', async t => {
  await checkRepeatedCreations(t, await startOperatorService(t))
})

test('an operator can repeat every import', async t => {
  await checkRepeatedImports(await startOperatorService(t))
})

test('every operation that creates something takes an idempotency key, except signing in', () => {
  const creating = OPERATIONS.filter(({ status }) => status === 201).map(({ id }) => id)
  const repeatable = OPERATIONS.filter(({ isRepeatable }) => isRepeatable).map(({ id }) => id)
  assert.deepEqual(
    creating.filter(id => id !== 'signIn' && !repeatable.includes(id)),
    [],
  )
})

test('an invalid key is refused, once everything else about the request is right', async t => {
  const service = await startOperatorService(t)
  const add = (headers: [string, string][], body: unknown = { name: 'Rex', categoryId: 1 }) =>
    service.call('POST', '/pets', { headers, body })
  for (const values of [[''], ['a b'], ['k'.repeat(256)], ['é'], ['one', 'one']]) {
    const headers = values.map((value): [string, string] => ['Idempotency-Key', value])
    assertRefused(await add(headers), 'invalid_idempotency_key')
    assertRefused(await add(headers, {}), 'invalid_body')
  }
  assert.equal((await add([['idempotency-key', 'k'.repeat(255)]])).status, 201)
})

test('what was refused leaves its key free', async t => {
  const service = await startOperatorService(t)
  const create = (name: string) =>
    service.call('POST', '/accounts', { headers: { 'Idempotency-Key': 'key-1' }, body: { name, plan: 'free' } })
  await service.call('POST', '/accounts', { body: { name: 'Acme', plan: 'free' } })
  assertRefused(await create('Acme'), 'conflict')
  assert.equal((await create('Globex')).status, 201)
  assertRefused(await create('Acme'), 'idempotency_key_reused')
})

test('a creation that fails is answered like the same one elsewhere, unless its operator may no longer act', async () => {
  const request = repeatableRequest(
    { tokenId: 1n, key: 'key-1' },
    { method: 'POST', target: '/', body: Buffer.from('') },
  )
  const done = { fingerprint: request.fingerprint, sealed: seal(request, { id: 7n }) }
  const create = (error: Error, findAgain: () => unknown) => {
    let looks = 0
    const findCreation = async () => (looks++ === 0 ? undefined : findAgain())
    const context = { store: { findCreation }, now: 0, request }
    return createOnce({ context, running: new RunningRequests(), headers: [] as string[] } as unknown as Request, () =>
      Promise.reject(error),
    )
  }
  const failure = new StoreUnavailable('It is not known whether it was written.')
  assert.deepEqual(await create(failure, () => done), { id: 7n })
  const failed = create(failure, () => {
    throw new Error('The store is still unavailable.')
  })
  await assert.rejects(failed, failure)
  const ended = new ActionRefused('ended')
  await assert.rejects(
    create(ended, () => done),
    ended,
  )
})

test('operations that create nothing ignore the key', async t => {
  const service = await startOperatorService(t)
  const label = (text: string) =>
    service.call('PUT', '/categories/7', { headers: { 'Idempotency-Key': 'key-1' }, body: { label: text } })
  for (const text of ['Dogs', 'Cats', 'Dogs']) {
    const answer = await label(text)
    assert.deepEqual([answer.status, answer.value.label], [200, text])
    assert.equal(answer.header('idempotency-replayed'), undefined)
  }
})

test('expired creations are deleted from the store', async t => {
  const service = await startOperatorService(t)
  const { store, clock } = service
  await service.call('POST', '/pets', {
    headers: { 'Idempotency-Key': 'key-1' },
    body: { name: 'Rex', categoryId: 1 },
  })
  const count = () => {
    using database = openDatabase(service.config.dataFolder)
    return database.prepare('SELECT key FROM operator_creation').all().length
  }
  await store.deleteExpired(clock.now + IDEMPOTENCY_MS - 1, 0)
  assert.equal(count(), 1)
  await store.deleteExpired(clock.now + IDEMPOTENCY_MS, 0)
  assert.equal(count(), 0)
})
