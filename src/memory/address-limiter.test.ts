import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE_MS } from '../domain/time.ts'
import { MemoryAddressLimiter } from './address-limiter.ts'

const NOON = Date.UTC(2027, 2, 1, 12, 0, 0, 250)

test('an address is admitted up to the limit, with each Remaining value once', () => {
  const limiter = new MemoryAddressLimiter(3)
  const decisions = Array.from({ length: 5 }, (_, call) => limiter.consume('192.0.2.1', NOON + call))
  assert.deepEqual(
    decisions.map(({ outcome, shown }) => `${outcome} ${shown.remaining}`),
    ['admitted 2', 'admitted 1', 'admitted 0', 'refused 0', 'refused 0'],
  )
  assert.ok(decisions.every(({ shown }) => shown.resetsAt === NOON + MINUTE_MS && shown.limit === 3))
})

test('an address has one window, a minute long', () => {
  const { windows, shown } = new MemoryAddressLimiter(600).consume('192.0.2.1', NOON)
  assert.deepEqual(windows, [shown])
  const expected = { name: 'anonymous', lengthSeconds: 60, limit: 600, remaining: 599, resetsAt: NOON + MINUTE_MS }
  assert.deepEqual(shown, expected)
})

test('an address that waits until the reset is admitted, one that comes a millisecond early is not', () => {
  const limiter = new MemoryAddressLimiter(1)
  limiter.consume('192.0.2.1', NOON)
  assert.equal(limiter.consume('192.0.2.1', NOON + MINUTE_MS - 1).outcome, 'refused')
  assert.equal(limiter.consume('192.0.2.1', NOON + MINUTE_MS).outcome, 'admitted')
})

test('addresses do not share their limits', () => {
  const limiter = new MemoryAddressLimiter(1)
  assert.equal(limiter.consume('192.0.2.1', NOON).outcome, 'admitted')
  assert.equal(limiter.consume('192.0.2.2', NOON).outcome, 'admitted')
  assert.equal(limiter.consume('192.0.2.1', NOON).outcome, 'refused')
})

test('peek counts nothing and begins no window', () => {
  const limiter = new MemoryAddressLimiter(2)
  for (let look = 0; look < 10; look += 1) assert.equal(limiter.peek('192.0.2.1', NOON).shown.remaining, 2)
  assert.equal(limiter.consume('192.0.2.1', NOON + 5_000).shown.resetsAt, NOON + 5_000 + MINUTE_MS)
  assert.deepEqual(limiter.peek('192.0.2.1', NOON + 6_000).shown, {
    ...limiter.consume('192.0.2.1', NOON + 6_000).shown,
    remaining: 1,
  })
})

test('a clock that is set back a little gives nothing back', () => {
  const limiter = new MemoryAddressLimiter(1)
  limiter.consume('192.0.2.1', NOON)
  assert.equal(limiter.consume('192.0.2.1', NOON - 20).outcome, 'refused')
})

test('the number of addresses is limited; the one not seen for longest is dropped', () => {
  const limiter = new MemoryAddressLimiter(1, 3)
  for (const address of ['a', 'b', 'c', 'd']) limiter.consume(address, NOON)
  assert.deepEqual(remembered(limiter, ['a', 'b', 'c', 'd']), ['b', 'c', 'd'])
})

test('an address that keeps calling is not dropped for others, even though it is refused', () => {
  const limiter = new MemoryAddressLimiter(1, 3)
  limiter.consume('loud', NOON)
  for (let other = 0; other < 50; other += 1) {
    assert.equal(limiter.consume('loud', NOON).outcome, 'refused')
    limiter.consume(`other ${other}`, NOON)
  }
})

test('the number of addresses is limited by default too', () => {
  const limiter = new MemoryAddressLimiter(1)
  const addresses = Array.from({ length: 100_000 }, (_, index) => `address ${index}`)
  for (const address of addresses) limiter.consume(address, NOON)
  assert.equal(remembered(limiter, addresses).length, 65_536)
})

function remembered(limiter: MemoryAddressLimiter, addresses: readonly string[]): string[] {
  return addresses.filter(address => limiter.peek(address, NOON).shown.remaining === 0)
}
