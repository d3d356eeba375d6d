import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeOptions } from './connection.ts'

// The rules alone. Real servers are in connection.servers.test.ts and failover.servers.test.ts.

test('behind Sentinels, a write that is refused by a former primary opens another connection, in the words of each version', () => {
  const { reconnectOnError } = placeOptions([new URL('redis://one.example.com?sentinel=pets')])
  const isLeft = (message: string) => reconnectOnError?.(new Error(message))
  for (const message of [
    "READONLY You can't write against a read only replica.",
    "READONLY You can't write against a read only replica. script: 6b1bf486, on @user_script:1.",
    'NOREPLICAS Not enough good replicas to write.',
    // Redis 6.
    "ERR Error running script (call to f_6b1bf486): @user_script:1: @user_script: 1: -READONLY You can't write against a read only replica.",
    'ERR Error running script (call to f_6b1bf486): @user_script:1: @user_script: 1: -NOREPLICAS Not enough good replicas to write.',
  ]) {
    assert.equal(isLeft(message), true, message)
  }
  for (const message of [
    'WRONGTYPE Operation against a key holding the wrong kind of value',
    'LOADING Redis is loading the dataset in memory',
    'NOSCRIPT No matching script. Please use EVAL.',
    'ERR Error running script (call to f_6b1bf486): @user_script:1: user_script:1: attempt to index a nil value',
    'ERR unknown command READONLYISH',
  ]) {
    assert.equal(isLeft(message), false, message)
  }
})
