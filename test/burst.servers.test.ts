import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism, setPriority } from 'node:os'
import { type TestContext, test } from 'node:test'
import { createAccount } from '../src/domain/administration/accounts.ts'
import { issueKey } from '../src/domain/administration/keys.ts'
import { formatRequest } from './support/call.ts'
import { inReverse } from './support/cleanup.ts'
import type { Serving } from './support/command-line.ts'
import { readRate } from './support/rate.ts'
import { type Answer, Connection } from './support/raw.ts'
import { makeSharedStore, startInstances } from './support/servers/instances.ts'
import { skip } from './support/servers/needs.ts'
import { noPostgres } from './support/servers/postgres.ts'
import { noRedis, startRedis } from './support/servers/redis.ts'

// Contract, "Limits": several instances count exactly, however many calls come at once, however busy the machine is. Early
// refusals, which do not count, are switched off.
// `node test/burst.servers.test.ts 10` runs ten rounds.

const ROUNDS = Number(process.argv[2] ?? 2)
const CALLS = 1_500
const PER_MINUTE = 1_000
/** How long Redis gets no core, as may happen on a busy machine: less than the timeout of one second. */
const STANDSTILL_MS = 300
/** If other programs kept Redis from a core for a whole second, the outage was real: the round proves nothing and is repeated. */
const MAX_ATTEMPTS = 3

test(`${CALLS} calls on new connections to three fresh instances, all cores busy: each Remaining value once`, async t => {
  const missing = noPostgres ?? noRedis
  if (missing) return void skip(t, missing)
  for (let round = 1; round <= ROUNDS; round += 1) {
    await t.test(`round ${round}`, async t => {
      for (let attempt = 1; ; attempt += 1) {
        const { answers, hadOutage, ms } = await burst(t)
        if (hadOutage && attempt < MAX_ATTEMPTS) continue
        const admitted = answers.filter(({ status }) => status === 404).map(answer => readRate(answer).remaining)
        assert.deepEqual(
          admitted.toSorted((one, other) => one - other),
          Array.from({ length: PER_MINUTE }, (_, remaining) => remaining),
        )
        const others = answers.filter(({ status }) => status !== 404).map(({ json }) => json.code)
        assert.deepEqual(others, Array(CALLS - PER_MINUTE).fill('rate_limit_exceeded'))
        assert.equal(hadOutage, false, 'no call is decided without Redis')
        return t.diagnostic(`${admitted.length} admitted in ${ms} ms`)
      }
    })
  }
})

async function burst(t: TestContext): Promise<{ answers: Answer[]; hadOutage: boolean; ms: number }> {
  const end = inReverse(t)
  const redis = await startRedis()
  end.after(redis.close)
  // In other tests, Redis has priority; here it waits for a core like every other process.
  setPriority(redis.pid, 0)
  const store = await makeSharedStore(end, { PETSTORE_REDIS_URL: redis.url, PETSTORE_OVERLOAD_WAIT: '0' })
  const key = await store.act(async context => {
    await createAccount(context, { name: 'acme', plan: 'business', limits: {} })
    return (await issueKey(context, { account: 'acme' })).key
  })
  const instances = await startInstances(end, store)
  const hogs = Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ['-e', 'for(;;);']))
  end.after(() => endAll(hogs))

  const startedAt = performance.now()
  await redis.signal('SIGSTOP')
  setTimeout(() => redis.signal('SIGCONT'), STANDSTILL_MS)
  const answers = await callTogether(instances, key)
  const ms = Math.round(performance.now() - startedAt)
  await endAll(hogs)
  const hadOutage = instances.some(({ stdout }) => /Redis is unavailable/.test(stdout))
  return { answers, hadOutage, ms }
}

/** Makes all calls at once, each on its own connection. Their path is unknown: such a call counts like any other, and needs no data. */
async function callTogether(instances: readonly Serving[], key: string): Promise<Answer[]> {
  const targets = Array.from({ length: CALLS }, (_, index) => instances[index % instances.length] as Serving)
  const connections = await Promise.all(targets.map(({ url }) => Connection.open(Number(new URL(url).port))))
  for (const [index, connection] of connections.entries()) {
    connection.write(formatRequest(targets[index] as Serving, { path: '/v1/nothing', key }))
  }
  const answers = await Promise.all(connections.map(connection => connection.answer()))
  for (const connection of connections) connection.destroy()
  return answers
}

async function endAll(children: readonly ChildProcess[]): Promise<void> {
  await Promise.all(
    children.map(async child => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    }),
  )
}
