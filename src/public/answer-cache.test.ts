import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { brotliDecompressSync } from 'node:zlib'
import { heapUsed } from '../../test/support/heap.ts'
import { INT64_MAX } from '../domain/int64.ts'
import type { Revision } from '../domain/store/revision.ts'
import { readTarget } from '../http/target.ts'
import { cacheAnswers } from './answer-cache.ts'
import type { PublicCall } from './call.ts'

const CALL = { request: { headers: {} } } as unknown as PublicCall
const OWN = { callers: 0, corrections: 0, newestPetId: 1n }
const SHARED = { callers: 0, corrections: 0, newestPetId: undefined }

test('calls in one turn that request the same from a shared store share one read, which sees everything stored before', async () => {
  const { ask, reads, store } = open()
  const together = [ask('a'), ask('a'), ask('b')]
  store.content = 'stored after they came, before the read'
  assert.equal(reads.length, 0)
  const bodies = (await Promise.all(together)).map(({ body }) => body)
  assert.deepEqual(bodies, Array(3).fill(store.content))
  assert.deepEqual(reads, ['a', 'b'])
})

test('a read that has begun is not shared with a later call, which may need newer data', async () => {
  const { ask, reads, store } = open()
  const first = ask('a')
  await nextTurn()
  await nextTurn()
  assert.deepEqual(reads, ['a'])
  store.content = 'stored after the first read began'
  const second = ask('a')
  assert.deepEqual([(await first).body, (await second).body], ['', store.content])
  assert.deepEqual(reads, ['a', 'a'])
})

test('all calls that share a read fail with it, and the next one reads again', async () => {
  const { ask, reads, store } = open()
  store.failure = new Error('the store fails')
  const outcomes = await Promise.allSettled([ask('a'), ask('a')])
  assert.deepEqual(
    outcomes.map(outcome => outcome.status === 'rejected' && outcome.reason),
    [store.failure, store.failure],
  )
  store.failure = undefined
  await ask('a')
  assert.deepEqual(reads, ['a', 'a'])
})

test('an answer is cached from its second request, for as long as it is correct', async () => {
  const { ask, reads, store } = open(OWN)
  for (const _ of Array(4)) await ask('a')
  assert.deepEqual(reads, ['a', 'a'])
  store.revision = { ...OWN, corrections: 1 }
  for (const _ of Array(4)) await ask('a')
  assert.deepEqual(reads, ['a', 'a', 'a'])
})

test('a full page is cached from when no other animal can become visible on it', async () => {
  const { ask, reads, store } = open()
  store.openTo = 20n
  store.settledPetId = 19n
  for (const _ of Array(3)) await ask('page')
  assert.equal(reads.length, 3)
  store.settledPetId = 20n
  for (const _ of Array(3)) await ask('page')
  assert.equal(reads.length, 4)
})

test('a page that is read while its last animal settles is not kept', async () => {
  const { ask, reads, store } = open()
  store.openTo = 20n
  for (const _ of Array(2)) {
    store.settledPetId = 19n
    const asked = ask('page')
    await nextTurn()
    store.settledPetId = 20n
    await asked
  }
  assert.equal(reads.length, 2)
  await ask('page')
  assert.equal(reads.length, 3, 'an animal may have become visible between the two')
})

test('a crawler that requests everything once evicts no cached answer', async () => {
  const { ask, reads } = open(OWN)
  for (const _ of Array(2)) await ask('kept')
  for (let page = 0; page < 20_000; page++) await ask(`page ${page}`)
  const before = reads.length
  await ask('kept')
  assert.equal(reads.length, before)
})

test('an answer that has changed is compressed again', async () => {
  const { ask, askCompressed, store } = open(OWN)
  store.content = 'old'.repeat(10_000)
  for (const _ of Array(2)) await ask('a')
  assert.equal(await askCompressed(), store.content)
  store.revision = { ...OWN, corrections: 1 }
  store.content = 'new'.repeat(10_000)
  assert.equal(await askCompressed(), store.content)
})

test('an answer that is compressed once a newer one has replaced it is not kept', async () => {
  const { ask, askCompressed, store } = open(OWN)
  for (const _ of Array(2)) await ask('a')
  const { promise, resolve } = Promise.withResolvers<void>()
  store.delay = promise
  const old = 'old'.repeat(10_000)
  store.content = old
  store.revision = { ...OWN, corrections: 1 }
  const compressed = askCompressed()
  store.content = 'new'.repeat(10_000)
  store.revision = { ...OWN, corrections: 2 }
  const plain = ask('a')
  for (const _ of Array(3)) await nextTurn()
  resolve()
  assert.deepEqual([await compressed, (await plain).body], [old, store.content])
  assert.equal(await askCompressed(), store.content)
})

test('the cache key of an answer takes no more memory than its path, however long the rest of the request was', async () => {
  const { handle } = open(OWN)
  const ignored = 'x'.repeat(7_000)
  const before = await heapUsed()
  for (let id = 100_000; id < 102_000; id++) {
    const request = { ...CALL.request, rawHeaders: ['Host', 'petstore'], httpVersion: '1.1' } as IncomingMessage
    // As Node's parser creates it: one string that contains the path.
    request.url = Buffer.from(`/v1/pets/${id}?${ignored}`).toString('latin1')
    await handle({ ...CALL, request, target: readTarget(request) } as PublicCall, String(id))
  }
  const grownBy = (await heapUsed()) - before
  assert.ok(grownBy < 4_000_000, `${grownBy} bytes`)
  // Until here, everything in the cache is in use.
  await handle({ ...CALL, target: { path: 'a', query: '' } } as PublicCall, 'a')
})

/** Opens a cache, by default for a store that others write to, which is read for every call. A read gets its content when it begins. */
function open(revision: Revision = SHARED) {
  const store = {
    revision,
    settledPetId: 0n,
    openTo: INT64_MAX,
    content: '',
    delay: undefined as Promise<void> | undefined,
    failure: undefined as Error | undefined,
  }
  const reads: string[] = []
  const handle = cacheAnswers(
    { revision: () => store.revision, settledPetId: () => store.settledPetId },
    async (_call, parameter) => {
      reads.push(parameter)
      const { content, failure, openTo } = store
      await nextTurn()
      await nextTurn()
      await store.delay
      if (failure) throw failure
      return { json: content, openTo }
    },
    ({ target }) => target?.path ?? '',
  )
  const ask = async (path: string) => handle({ ...CALL, target: { path, query: '' } } as PublicCall, path)
  async function askCompressed(): Promise<string> {
    const request = { headers: { 'accept-encoding': 'br' } }
    const { body } = await handle({ ...CALL, request, target: { path: 'a', query: '' } } as unknown as PublicCall, 'a')
    return brotliDecompressSync(Buffer.from(body as string, 'latin1')).toString()
  }
  return { handle, ask, askCompressed, reads, store }
}
