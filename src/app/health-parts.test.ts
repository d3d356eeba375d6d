import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Certificates } from './certificates.ts'
import { HealthParts } from './health-parts.ts'

const AT = Date.UTC(2027, 2, 1)

test('a copy that has been silent for too long is unhealthy', () => {
  const { health, copy, pass } = openWithCopy()
  assert.equal(copy(AT)?.state, 'ok')
  health.copied(AT, AT)
  pass(60_000)
  assert.equal(copy(AT + 60_000)?.state, 'ok')
  pass(1)
  const silent = copy(AT + 60_001)
  assert.deepEqual([silent?.state, silent?.since], ['degraded', '2027-03-01T00:00:00.000Z'])
  assert.match(
    silent?.message ?? '',
    /^The folder of the copy does not respond\. .* until 2027-03-01T00:00:00\.000Z\.$/,
  )
  pass(10_000)
  health.copied(AT + 70_000, AT + 70_001)
  assert.equal(copy(AT + 70_001)?.state, 'ok')
})

test('a copy that reports late is behind by the time that it took', () => {
  const { health, copy } = openWithCopy()
  health.copied(AT, AT + 60_001)
  assert.equal(copy(AT + 60_001)?.state, 'degraded')
})

test('a copy that has been silent since the start is unhealthy', () => {
  const { copy, pass } = openWithCopy()
  pass(60_000)
  assert.equal(copy(AT + 60_000)?.state, 'ok')
  pass(1)
  assert.deepEqual(copy(AT + 60_001), {
    part: 'copy',
    state: 'degraded',
    message: 'The folder of the copy is slow or does not respond. This service has not copied anything yet.',
    since: null,
  })
})

test('a silent copy is reported even if the clock was set back, and a clock set forward does not look like silence', () => {
  const { health, copy, pass } = openWithCopy()
  health.copied(AT, AT)
  assert.equal(copy(AT + 3_600_000)?.state, 'ok')
  pass(60_001)
  const silent = copy(AT - 3_600_000)
  assert.deepEqual([silent?.state, silent?.since], ['degraded', '2027-02-28T23:00:00.000Z'])
})

test('an overload shows in the health of the service until it ends', () => {
  const health = open()
  const service = () => health.list(0).find(({ part }) => part === 'service')
  assert.equal(service()?.state, 'ok')
  health.overloaded(Date.UTC(2027, 2, 1))
  assert.deepEqual([service()?.state, service()?.since], ['degraded', '2027-03-01T00:00:00.000Z'])
  health.overloadEnded()
  assert.equal(service()?.state, 'ok')
})

function openWithCopy() {
  let passed = 0
  const health = open({ copyDelay: 60, steadyNow: () => passed })
  return {
    health,
    copy: (now: number) => health.list(now).find(({ part }) => part === 'copy'),
    pass(ms: number) {
      passed += ms
    },
  }
}

function open(parts: { copyDelay?: number; steadyNow?: () => number } = {}): HealthParts {
  const certificates = { problems: () => [] } as unknown as Certificates
  return new HealthParts({
    certificates,
    isRedisUsed: false,
    hasChangeFeed: false,
    copyDelay: undefined,
    isStopping: () => false,
    ...parts,
  })
}
