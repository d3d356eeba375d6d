import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Certificates } from './certificates.ts'
import { HealthParts } from './health-parts.ts'

test('an overload shows in the health of the service until it ends', () => {
  const health = open()
  const service = () => health.list(0).find(({ part }) => part === 'service')
  assert.equal(service()?.state, 'ok')
  health.overloaded(Date.UTC(2027, 2, 1))
  assert.deepEqual([service()?.state, service()?.since], ['degraded', '2027-03-01T00:00:00.000Z'])
  health.overloadEnded()
  assert.equal(service()?.state, 'ok')
})

function open(): HealthParts {
  const certificates = { problems: () => [] } as unknown as Certificates
  return new HealthParts({ certificates, isRedisUsed: false, isStoreShared: false, isStopping: () => false })
}
