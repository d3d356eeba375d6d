import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { BackendName } from './support/backend.ts'
import type { Outcome } from './support/outcomes-reporter.ts'
import { canRunInstances } from './support/servers/instances.ts'
import { sharedServerUrl } from './support/servers/postgres.ts'
import { sharedRedisUrl } from './support/servers/redis.ts'

// The same suite of the public contract, test by test, where most parts take part. On the embedded store it runs by itself; on one
// instance with PostgreSQL and Redis by PETSTORE_TEST_BACKEND=scaled (CONTRIBUTING.md).

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const REPORTER = new URL('support/outcomes-reporter.ts', import.meta.url).href
const SUITE = ['test/contract/*.test.ts', 'test/several-callers.test.ts']
const BACKEND: BackendName = 'balanced'
/** All files in one process: to begin one for each costs as much as the tests themselves. */
const OPTIONS = ['--test', '--test-isolation=none', `--test-reporter=${REPORTER}`]

test('the public contract holds through the load balancer, with three instances on PostgreSQL and Redis', {
  timeout: 600_000,
}, async t => {
  if (!canRunInstances(t)) return
  const startedAt = performance.now()
  // With it, the runner would take itself for a test of this one.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
  const child = spawn(process.execPath, [...OPTIONS, ...SUITE], {
    cwd: ROOT,
    env: {
      ...inherited,
      PETSTORE_TEST_BACKEND: BACKEND,
      PETSTORE_TEST_POSTGRES_URL: await sharedServerUrl(),
      PETSTORE_TEST_REDIS_URL: await sharedRedisUrl(),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill())
  const [lines, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const outcomes = lines
    .trim()
    .split('\n')
    .map((line): Outcome => JSON.parse(line))
  assert.deepEqual(
    outcomes.filter(({ outcome }) => outcome !== 'passed'),
    [],
  )
  assert.equal(code, 0)
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
  t.diagnostic(`${BACKEND}: ${outcomes.length} tests passed in ${seconds} s`)
})
