import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { test } from 'node:test'
import { pause } from '../../sqlite/pause.ts'
import { buildStoreCheck } from './store.ts'

test('a store that responded while the service was blocked can be used', async () => {
  const verdict = buildStoreCheck({ check: async () => void (await stat('.')) })()
  // Longer than a store may take.
  pause(2_100)
  assert.equal((await verdict).outcome, 'ok')
})
