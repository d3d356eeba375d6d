import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { makeFakedClock } from '../../test/support/servers/faked-clock.ts'
import { skip } from '../../test/support/servers/needs.ts'
import { makeServerFolder } from '../../test/support/servers/private-server.ts'
import { REDIS_PROGRAM, startRedis } from '../../test/support/servers/redis.ts'
import { createCaller, openLimiters } from '../../test/support/servers/redis-limiters.ts'
import { SOURCE } from '../../test/support/source.ts'
import { openStore } from '../../test/support/store.ts'
import { DAY_MS, MINUTE_MS } from '../domain/time.ts'

/** In seconds. The small ones leave a minute that has just begun as it is. */
const SMALL_STEPS = [20, -40]
const LARGE_STEPS = [90, -90, 2 * 86_400, -2 * 86_400, 400 * 86_400]

test('steps of the clock of Redis are not an outage, move no window, and make none last longer than two', async t => {
  const redis = await startWithClock(t)
  if (!redis) return
  const store = await openStore(t)
  const instances = await Promise.all([1, 2].map(() => openLimiters([redis.url], { store, instances: 2 })))
  t.after(() => Promise.all(instances.map(one => one.close())))
  for (const step of [...SMALL_STEPS, ...LARGE_STEPS]) {
    for (const [from, to] of [
      [0, step],
      [step, 0],
    ] as const) {
      const name = `from ${from} s to ${to} s`
      const caller = await createCaller(store, { perMinute: 6, perDay: 100 })
      const consumeOnEach = async () => {
        const decisions = []
        for (const { accounts } of instances) decisions.push(await accounts.consume(caller, SOURCE, Date.now()))
        return decisions
      }
      const [, before] = await consumeOnEach()
      redis.setClock(to)
      const isSame = SMALL_STEPS.includes(step)
      for (const [index, { outcome, windows, decidedAt }] of (await consumeOnEach()).entries()) {
        const [minute, day] = windows
        assert.ok(minute && day)
        assert.deepEqual([outcome, minute.remaining], ['admitted', (isSame ? 3 : 5) - index], name)
        if (isSame) assert.equal(minute.resetsAt, before?.windows[0]?.resetsAt, name)
        assert.ok(minute.resetsAt - decidedAt <= 2 * MINUTE_MS, `${name}: the minute ends at ${minute.resetsAt}`)
        assert.ok(day.resetsAt - decidedAt <= 2 * DAY_MS, `${name}: the day ends at ${day.resetsAt}`)
      }
    }
  }
  const outages = instances.map(({ lost, decidedAlone }) => ({ lost, decidedAlone }))
  assert.deepEqual(outages, Array(2).fill({ lost: [], decidedAlone: 0 }))
})

/** A private Redis whose clock the test sets. */
async function startWithClock(t: TestContext) {
  const folder = makeServerFolder('clock')
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const clock = makeFakedClock(folder)
  const variables = Object.entries({ ...clock?.variables, FAKETIME_NO_CACHE: '1' }).map(
    ([name, value]) => `${name}=${value}`,
  )
  const trial = spawnSync('env', [...variables, REDIS_PROGRAM ?? 'false', '--version'], { timeout: 30_000 })
  if (!clock || trial.status !== 0) {
    skip(t, 'libfaketime or Redis is not installed')
    return undefined
  }
  const server = await startRedis([], ['env', ...variables])
  t.after(() => server.close())
  return { url: server.url, setClock: clock.set }
}
