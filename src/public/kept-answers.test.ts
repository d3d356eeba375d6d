import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PublicCall } from './call.ts'
import { keepAnswers } from './kept-answers.ts'

const CALL = { request: { headers: {} } } as unknown as PublicCall
const SHARED = { callers: 0, corrections: 0, newestPetId: undefined }

test('calls of one turn that ask a shared store for the same share one read, which sees all that was stored before', async () => {
  const { ask, reads, store } = open()
  const together = [ask('a'), ask('a'), ask('b')]
  store.content = 'stored after they came, before the read'
  assert.equal(reads.length, 0)
  const bodies = (await Promise.all(together)).map(({ body }) => body)
  assert.deepEqual(bodies, Array(3).fill(store.content))
  assert.deepEqual(reads, ['a', 'b'])
})

test('a read that has begun is not shared with a later call, which may have to see more', async () => {
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

/** Open pages of a store that others write to: they are read for every call. A read takes its content when it begins. */
function open() {
  const store = { content: '', failure: undefined as Error | undefined }
  const reads: string[] = []
  const handle = keepAnswers(
    { revision: () => SHARED },
    async (_call, parameter) => {
      reads.push(parameter)
      const { content, failure } = store
      await nextTurn()
      await nextTurn()
      if (failure) throw failure
      return { json: content, isOpen: true }
    },
    (_call, parameter) => parameter,
  )
  return { ask: async (parameter: string) => handle(CALL, parameter), reads, store }
}
