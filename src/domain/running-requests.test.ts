import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RunningRequests } from './running-requests.ts'

test('a request that is in progress is not carried out again; those of other accounts and with other keys are', async () => {
  const requests = new RunningRequests()
  const request = { accountId: 1n, key: 'a', fingerprint: 'x' }
  const { promise, resolve } = Promise.withResolvers<string>()
  const first = requests.carryOut(request, () => promise)
  const again = (wish: Partial<typeof request>) => requests.carryOut({ ...request, ...wish }, async () => 'created')
  assert.deepEqual(await again({}), { outcome: 'in_progress' })
  assert.deepEqual(await again({ fingerprint: 'y' }), { outcome: 'mismatch' })
  for (const other of [{ accountId: 2n }, { key: 'b' }]) assert.equal(await again(other), 'created')
  resolve('first')
  assert.equal(await first, 'first')
  const failed = requests.carryOut(request, () => Promise.reject(new Error('It failed.')))
  await assert.rejects(failed, { message: 'It failed.' })
  assert.equal(await again({}), 'created', 'after the end of the others, the store decides')
})
