import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inReverse } from '../support/instances.ts'
import { fuzz } from './fuzz.ts'

test('no bytes end the service, hang it, fail it, or get an answer that lacks what every answer has', async t => {
  const { details, requests } = await fuzz(inReverse(t), { requests: 3_000, seconds: 30, seed: 1 })
  assert.deepEqual(details, [])
  assert.ok(requests >= 3_000, `${requests} requests in time`)
})
