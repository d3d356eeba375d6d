import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxConnections } from './max-connections.ts'

test('public listeners leave open files for the store and for health checks, whatever the limit is', () => {
  const both = (openFiles: number) => [maxConnections('public', openFiles), maxConnections('redirect', openFiles)]
  assert.deepEqual(both(1_048_576), [20_000, 20_000])
  assert.deepEqual(both(1_024), [835, 92])
  assert.deepEqual(both(128), [28, 3])
  assert.deepEqual(both(Number.POSITIVE_INFINITY), [20_000, 20_000])
})
