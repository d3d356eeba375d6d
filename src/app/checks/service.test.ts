import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConfig } from '../config.ts'
import { runChecks } from './checks.ts'
import type { ServiceState } from './facts.ts'
import { ok } from './verdict.ts'

test('an overload shows in the health of the service until it ends', async () => {
  const { troubles, service } = open()
  const since = Date.UTC(2027, 2, 1)
  assert.equal((await service())?.outcome, 'ok')
  troubles.set('overload', { since })
  const found = await service()
  assert.deepEqual([found?.outcome, found?.since], ['warn', since])
  troubles.delete('overload')
  assert.equal((await service())?.outcome, 'ok')
})

function open() {
  const state: ServiceState = {
    config: parseConfig({}),
    checkStore: async () => ok('The store can be written.'),
    isStopping: () => false,
    troubles: new Map(),
    certificates: { check: () => [] },
  }
  const service = async () => (await runChecks({ now: 0, service: state })).find(({ check }) => check === 'service')
  return { troubles: state.troubles, service }
}
