import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { deleteAccount } from '../../src/domain/administration/accounts.ts'
import { generateKey } from '../../src/domain/api-key.ts'
import type { BackendName } from '../support/backend.ts'
import { assertRefused, call } from '../support/call.ts'
import { eventually } from '../support/eventually.ts'
import { readRate } from '../support/rate.ts'
import { startTestService, type TestService } from '../support/service.ts'

// Contract, "Authentication": whatever a stranger sends, it costs the store and Redis no more than the address's allowance.

const ALLOWANCE = 5
const CALLS = 300

/** A private Redis of the test that counts the queries about addresses. */
export interface WatchedRedis {
  url: string
  /** How many scripts it has run so far. */
  scripts(): Promise<number>
}

/** @param startRedis if calls are counted in Redis: starts one that ends with the test */
export async function testStrangers(
  t: TestContext,
  backend: BackendName,
  startRedis?: (t: TestContext) => Promise<WatchedRedis>,
): Promise<void> {
  const isRule = (rule: string, prove: (stage: Stage) => Promise<void>) =>
    t.test(rule, async t => prove(await openStage(t, backend, await startRedis?.(t))))

  await isRule('forged keys are looked up no more often than the allowance, however many come at once', async stage => {
    const keys = Array.from({ length: CALLS }, () => generateKey('production'))
    const answers = await Promise.all(keys.map(key => call(stage.service, { path: '/v1/pets', key })))
    assert.equal(answers.filter(({ status }) => status === 401).length, ALLOWANCE)
    for (const answer of answers.filter(({ status }) => status !== 401)) assertRefused(answer, 'rate_limit_exceeded')
    assert.ok(stage.lookups() <= stage.bound, `${stage.lookups()} look-ups`)
    assert.ok((await stage.scripts()) <= stage.bound, `${await stage.scripts()} scripts`)
  })

  await isRule('calls without a key cost Redis no more than the allowance, however many come at once', async stage => {
    const calls = Array.from({ length: CALLS }, () => call(stage.service, { path: '/v1/pets' }))
    const answers = await Promise.all(calls)
    assert.equal(answers.filter(({ status }) => status === 401).length, ALLOWANCE)
    const scripts = await stage.scripts()
    assert.ok(scripts <= stage.bound, `${scripts} scripts`)
    const later = ['/nothing', '/v1/nothing', '/docs'].flatMap(path =>
      ['GET', 'DELETE'].map(method => call(stage.service, { method, path })),
    )
    for (const answer of await Promise.all(later)) assertRefused(answer, 'rate_limit_exceeded')
    assert.ok((await stage.scripts()) <= stage.bound)
    assert.equal(stage.lookups(), 0)
  })

  await isRule('OPTIONS costs the store nothing, and Redis no more than a tenth of the allowance', async stage => {
    const calls = Array.from({ length: CALLS }, () => call(stage.service, { method: 'OPTIONS', path: '/v1/pets' }))
    for (const { status } of await Promise.all(calls)) assert.equal(status, 204)
    assert.deepEqual([stage.lookups(), await stage.scripts()], [0, 0])
  })

  await isRule('valid keys cost their address nothing, also many new ones at once', async stage => {
    const callers = await Promise.all(Array.from({ length: 4 * ALLOWANCE }, () => stage.service.createCaller()))
    const answers = await Promise.all(callers.map(({ key }) => call(stage.service, { path: '/v1/pets', key })))
    assert.deepEqual(
      answers.map(({ status }) => status),
      callers.map(() => 200),
    )
    assert.equal(await stage.scripts(), 0)
    assert.equal(readRate(await call(stage.service, { path: '/v1/pets' })).remaining, ALLOWANCE - 1)
  })

  await isRule(
    'the key of a deleted account costs the store no more than the allowance of its address',
    async stage => {
      const { service } = stage
      const { account, key } = await service.createCaller()
      for (const _ of service.instances) await call(service, { path: '/v1/pets', key })
      await deleteAccount(service.adminContext(), String(account.id))
      const before = stage.lookups()
      for (let left = ALLOWANCE - 1; left >= 0; left -= 1) {
        const answer = await call(service, { path: '/v1/pets', key })
        assertRefused(answer, 'invalid_api_key')
        assert.equal(readRate(answer).remaining, left)
      }
      const answers = await Promise.all(Array.from({ length: CALLS }, () => call(service, { path: '/v1/pets', key })))
      for (const answer of answers) assertRefused(answer, 'rate_limit_exceeded')
      assert.ok(stage.lookups() - before <= stage.bound, `${stage.lookups() - before} look-ups`)
    },
  )

  await isRule(
    'behind an address that is used up, the keys in use go on working, and others are not looked up',
    async stage => {
      const { service } = stage
      const inUse = await service.createCaller()
      for (const _ of service.instances) await call(service, { path: '/v1/pets', key: inUse.key })
      for (let spent = 0; spent < ALLOWANCE; spent += 1) await call(service, { path: '/v1/pets' })
      for (const _ of service.instances) {
        assertRefused(await call(service, { path: '/v1/pets', key: generateKey('production') }), 'rate_limit_exceeded')
      }
      // Every change of a caller makes the instances read the callers again that are in use.
      const { key: neverUsed } = await service.createCaller()
      for (const _ of service.instances) {
        assert.equal((await call(service, { path: '/v1/pets', key: inUse.key })).status, 200)
      }
      const before = stage.lookups()
      for (const _ of service.instances) {
        assertRefused(await call(service, { path: '/v1/pets', key: neverUsed }), 'rate_limit_exceeded')
      }
      assert.equal(stage.lookups(), before)
    },
  )
}

interface Stage {
  service: TestService
  /** Each instance learns of the others' calls by its own next one. */
  bound: number
  /** How often a key was looked up in the store. */
  lookups(): number
  /** How many scripts Redis has run about addresses. */
  scripts(): Promise<number>
}

async function openStage(t: TestContext, backend: BackendName, redis?: WatchedRedis): Promise<Stage> {
  const redisUrls = redis ? [redis.url] : []
  const service = await startTestService(t, { backend, config: { anonymousPerMinute: ALLOWANCE, redisUrls } })
  await eventually(() => {
    for (const { store } of service.instances) {
      assert.equal('instances' in store ? store.instances : 1, service.instances.length, 'each knows of the others')
    }
  }, 100)
  let lookups = 0
  for (const { store } of service.instances) {
    const find = store.findCaller.bind(store)
    store.findCaller = hash => {
      lookups += 1
      return find(hash)
    }
  }
  return {
    service,
    bound: ALLOWANCE + service.instances.length,
    lookups: () => lookups,
    scripts: async () => (await redis?.scripts()) ?? 0,
  }
}
