import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inReverse } from '../support/cleanup.ts'
import { ROUNDS } from '../support/duration-factor.ts'
import { fuzz } from './fuzz.ts'

const REQUESTS = 1_500 * ROUNDS

test('no bytes end the service, hang it, fail it, or get an answer that lacks what every answer has', async t => {
  const { details, requests } = await fuzz(inReverse(t), { requests: REQUESTS, seconds: 60 * ROUNDS, seed: 1 })
  assert.deepEqual(details, [])
  assert.ok(requests >= REQUESTS, `${requests} requests in time`)
})
