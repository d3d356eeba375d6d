import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestIdOf } from './request-headers.ts'

test('the ids of requests without one are random UUIDs of version 4, and none is given twice', () => {
  const ids = Array.from({ length: 1_000 }, () => requestIdOf(undefined))
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  for (const place of [0, 7, 9, 15, 35]) assert.equal(new Set(ids.map(id => id[place])).size, 16, `character ${place}`)
})
