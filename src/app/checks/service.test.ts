import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConfig } from '../config.ts'
import type { Environment } from '../settings.ts'
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

test('how calls are counted shows, and what an instance has lost, without passwords', async () => {
  const findings = async (env: Environment, troubles: ServiceState['troubles'] = new Map()) => {
    const state = { ...open().state, config: parseConfig(env), troubles }
    const found = await runChecks({ now: 0, service: state })
    return found
      .filter(({ check }) => check === 'counting' || check === 'changes')
      .map(({ outcome, message, since }) => [outcome, message, since])
  }
  assert.deepEqual(await findings({}), [['ok', 'Calls are counted in this process.', undefined]])
  const shared = { PETSTORE_DATABASE_URL: 'postgres://db/pets', PETSTORE_REDIS_URL: 'redis://:geheim@cache:6379' }
  assert.deepEqual(await findings(shared), [
    ['ok', 'All instances count calls together, in Redis.', undefined],
    ['ok', 'Changes by other instances apply immediately.', undefined],
  ])
  const error = new Error('redis://:geheim@cache:6379 does not respond')
  const [counting, changes] = await findings(
    shared,
    new Map([
      ['redis', { since: 1, error }],
      ['changes', { since: 2 }],
    ]),
  )
  assert.deepEqual([counting?.[0], counting?.[2], changes?.[0], changes?.[2]], ['warn', 1, 'warn', 2])
  assert.match(String(counting?.[1]), /does not respond\. Without Redis, this instance counts its own share/)
  assert.doesNotMatch(String(counting?.[1]), /geheim/)
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
  return { state, troubles: state.troubles, service }
}
