import { test } from 'node:test'
import { runContractSuite } from './support/contract-suite.ts'

// The same suite of the public contract, test by test: half-closed connections, pipelining, time-outs and all.

test('the public contract holds over HTTPS', { timeout: 600_000 }, async t => {
  await runContractSuite(t, 'HTTPS', { PETSTORE_TEST_BACKEND: 'embedded', PETSTORE_TEST_TLS: 'on' })
})
