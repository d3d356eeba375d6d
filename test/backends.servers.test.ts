import { test } from 'node:test'
import type { BackendName } from './support/backend.ts'
import { runContractSuite } from './support/contract-suite.ts'
import { canRunInstances } from './support/servers/instances.ts'
import { sharedServerUrl } from './support/servers/postgres.ts'
import { sharedRedisUrl } from './support/servers/redis.ts'

// The same suite of the public contract, on the backend with the most components, including HTTPS. It runs on the embedded store by default, and on
// one instance with PostgreSQL and Redis with PETSTORE_TEST_BACKEND=scaled (CONTRIBUTING.md).

const BACKEND: BackendName = 'balanced'

test('the public contract holds over HTTPS through the load balancer, with three instances on PostgreSQL and Redis', {
  timeout: 1_200_000,
}, async t => {
  if (!canRunInstances(t)) return
  await runContractSuite(t, BACKEND, {
    PETSTORE_TEST_BACKEND: BACKEND,
    PETSTORE_TEST_TLS: 'on',
    PETSTORE_TEST_POSTGRES_URL: await sharedServerUrl(),
    PETSTORE_TEST_REDIS_URL: await sharedRedisUrl(),
  })
})
