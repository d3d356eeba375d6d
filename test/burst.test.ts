import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism, setPriority } from 'node:os'
import { test } from 'node:test'
import { createAccount } from '../src/domain/administration/accounts.ts'
import { issueKey } from '../src/domain/administration/keys.ts'
import { formatRequest } from './support/call.ts'
import type { Serving } from './support/command-line.ts'
import { inReverse, makeSharedStore, startInstances } from './support/instances.ts'
import { skip } from './support/needs.ts'
import { noPostgres } from './support/postgres.ts'
import { readRate } from './support/rate.ts'
import { type Answer, Connection } from './support/raw.ts'
import { noRedis, startRedis } from './support/redis.ts'

// Contract, "Limits": over several instances they are exact, however many calls come at once, on however busy a machine.
// `node test/burst.test.ts 10` goes ten rounds.

const ROUNDS = Number(process.argv[2] ?? 2)
const CALLS = 1_500
const PER_MINUTE = 1_000
/** For how long Redis gets no core, as may happen on a busy machine: less than the second for which it is waited for. */
const STANDSTILL_MS = 300

test(`${CALLS} calls on new connections to three fresh instances, all cores busy: each Remaining value once`, async t => {
  const missing = noPostgres ?? noRedis
  if (missing) return void skip(t, missing)
  for (let round = 1; round <= ROUNDS; round += 1) {
    await t.test(`round ${round}`, async t => {
      const end = inReverse(t)
      const redis = await startRedis()
      end.after(redis.close)
      // Other tests let it go before them; here it waits for a core like everything else.
      setPriority(redis.pid, 0)
      const store = await makeSharedStore(end, { PETSTORE_REDIS_URL: redis.url })
      const key = await store.act(async acting => {
        await createAccount(acting, { name: 'acme', plan: 'business', limits: {} })
        return (await issueKey(acting, { account: 'acme' })).key
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

      const admitted = answers.filter(({ status }) => status === 404).map(answer => readRate(answer).remaining)
      assert.deepEqual(
        admitted.toSorted((one, other) => one - other),
        Array.from({ length: PER_MINUTE }, (_, remaining) => remaining),
      )
      assert.equal(answers.filter(({ status }) => status === 429).length, CALLS - PER_MINUTE)
      for (const { stdout } of instances) assert.doesNotMatch(stdout, /Redis cannot be used/)
      t.diagnostic(`${admitted.length} admitted in ${ms} ms`)
    })
  }
})

/** Each call on a connection of its own, all at once. Their path is none: that costs as any other, and needs nothing of the store. */
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
