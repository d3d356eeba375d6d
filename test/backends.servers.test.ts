import { test } from 'node:test'
import type { BackendName } from './support/backend.ts'
import { runContractSuite } from './support/contract-suite.ts'
import { canRunInstances } from './support/servers/instances.ts'
import { sharedServerUrl } from './support/servers/postgres.ts'
import { sharedRedisUrl } from './support/servers/redis.ts'

// The same suite of the public contract, test by test, where most parts take part, HTTPS among them. On the embedded store it runs by itself; on one
// instance with PostgreSQL and Redis by PETSTORE_TEST_BACKEND=scaled (CONTRIBUTING.md).

const BACKEND: BackendName = 'balanced'

test('the public contract holds over HTTPS through the load balancer, with three instances on PostgreSQL and Redis', {
  timeout: 600_000,
}, async t => {
  if (!canRunInstances(t)) return
  await runContractSuite(t, BACKEND, {
    PETSTORE_TEST_BACKEND: BACKEND,
    PETSTORE_TEST_TLS: 'on',
    PETSTORE_TEST_POSTGRES_URL: await sharedServerUrl(),
    PETSTORE_TEST_REDIS_URL: await sharedRedisUrl(),
  })
})
