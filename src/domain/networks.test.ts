import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { isNetwork, MAX_NETWORKS, parseNetworks } from './networks.ts'

test('an address is its own range, and bits after the prefix are dropped', () => {
  const ranges: [given: string, range: string][] = [
    ['192.0.2.7', '192.0.2.7/32'],
    ['192.0.2.7/24', '192.0.2.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['255.255.255.255/1', '128.0.0.0/1'],
    ['2001:DB8::1', '2001:db8::1/128'],
    ['2001:db8:0:0:0:0:0:1/32', '2001:db8::/32'],
    ['::/0', '::/0'],
    ['::1', '::1/128'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0/128'],
  ]
  for (const [given, range] of ranges) assert.deepEqual(parseNetworks([given]), [range], given)
})

test('a range of IPv4-mapped addresses is one of IPv4, as clients are seen', () => {
  assert.deepEqual(parseNetworks(['::ffff:192.0.2.7', '::FFFF:c000:207/120', '::ffff:0:0/96']), [
    '192.0.2.7/32',
    '192.0.2.0/24',
    '0.0.0.0/0',
  ])
  assert.deepEqual(parseNetworks(['::ffff:192.0.2.7/64']), ['::/64'])
})

test('a range is kept once, in the order given', () => {
  const given = ['2001:db8::/32', '192.0.2.7/24', '192.0.2.0/24', '2001:DB8::/32']
  assert.deepEqual(parseNetworks(given), ['2001:db8::/32', '192.0.2.0/24'])
})

test('anything else is refused, with a valid example', () => {
  const wrong = [
    ...['', ' ', 'any', 'localhost', '192.0.2.0/24 ', ' 192.0.2.7', '192.0.2.7\n', '192.0.2.0/24,198.51.100.7'],
    ...[
      '10.1',
      '0x7f.0.0.1',
      '010.0.0.1',
      '256.0.0.1',
      '1.2.3',
      '1.2.3.4.5',
      '192.0.2.0/33',
      '192.0.2.0/',
      '192.0.2.0/024',
    ],
    ...['192.0.2.0/255.255.255.0', '192.0.2.*', '1::2::3', '1:2:3:4:5:6:7:8:9', '1::2:3:4:5:6:7:8', '2001:db8::/129'],
    ...['[2001:db8::1]', '192.0.2.7:80', 'fe80::1%eth0', '12345::', ':::', '::ffff:1.2.3', '٣.1.1.1'],
  ]
  for (const text of wrong) {
    const error = { name: 'UserError', kind: 'invalid', message: /such as 192\.0\.2\.7, .* is neither\.$/s }
    assert.throws(() => parseNetworks(['192.0.2.7', text]), error, text)
  }
})

test('a key has 1 to 20 ranges', () => {
  const many = Array.from({ length: MAX_NETWORKS + 1 }, (_, index) => `192.0.2.${index}`)
  assert.equal(parseNetworks(many.slice(1)).length, MAX_NETWORKS)
  for (const wrong of [[], many]) assert.throws(() => parseNetworks(wrong), { kind: 'invalid', message: /1 to 20/ })
})

test('every address that others accept as IPv4 or IPv6 is accepted, and the result parses to itself', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.nat(128), (address, bits) => {
      const isDotted = address.includes(':') && address.includes('.')
      assert.equal(isNetwork(address), isIP(address) !== 0 && !isDotted, address)
      if (isDotted) return
      const range = `${address}/${address.includes(':') ? bits : bits % 33}`
      assert.deepEqual(parseNetworks(parseNetworks([range])), parseNetworks([range]), range)
    }),
  )
})
