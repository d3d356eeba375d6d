import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopback, isWildcard, localHost } from './listening-host.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '127.1', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f12:1']

test('a listener on all addresses is reachable on the loopback address, in every spelling of its host', () => {
  for (const host of ['0.0.0.0', '0', '::', '::0', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0', '::ffff:0:0']) {
    assert.deepEqual([isWildcard(host), isLoopback(host), localHost(host)], [true, false, '127.0.0.1'], host)
  }
  for (const host of [...LOOPBACK, '192.0.2.1', '2001:db8::1', 'petstore']) assert.ok(!isWildcard(host), host)
  assert.deepEqual([localHost('petstore'), localHost('2001:db8::1')], ['petstore', '[2001:db8::1]'])
})

test('only this machine reaches a listener on a loopback address', () => {
  for (const host of LOOPBACK) assert.ok(isLoopback(host), host)
  for (const host of ['128.0.0.1', '::2', '::ffff:128.0.0.1', '127.example.com', 'localhost.example.com']) {
    assert.ok(!isLoopback(host), host)
  }
})
