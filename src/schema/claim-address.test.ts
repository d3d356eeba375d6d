import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimAddress } from './claim-address.ts'

test('a claim link is beside the API, also if a folder above it has a similar name', () => {
  assert.equal(claimAddress('https://pets.example/v1', 'x'), 'https://pets.example/claim/x')
  assert.equal(claimAddress('https://pets.example/v1beta/v1', 'x'), 'https://pets.example/v1beta/claim/x')
})
