import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandOf } from './command-name.ts'

test('messages name the program as the user must type it', () => {
  assert.equal(commandOf({ PETSTORE_COMMAND: 'petstore-staging', npm_lifecycle_event: 'npx' }), 'petstore-staging')
  assert.equal(commandOf({ npm_lifecycle_event: 'npx' }), 'npx petstore')
  assert.equal(commandOf({ npm_lifecycle_event: 'start' }), 'npx petstore')
  assert.equal(commandOf({ npm_lifecycle_event: 'test' }), 'petstore')
  assert.equal(commandOf({}), 'petstore')
})
