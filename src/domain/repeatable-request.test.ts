import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreDamaged } from './errors.ts'
import { repeatableRequest, seal, unseal } from './repeatable-request.ts'

const CALL = { method: 'POST', target: '/admin/v1/tokens?', body: Buffer.from('{"name":"Anna"}') }
const BY = { tokenId: 1n, key: 'key-1' }
const SECRET = 'petstore_operator_live_secret'

test('what was created comes back exactly, with what the store does not keep', () => {
  const request = { ...repeatableRequest(BY, CALL), unstored: { token: SECRET } }
  const created = {
    id: 9_223_372_036_854_775_807n,
    name: 'büro 🐕',
    at: 1.5,
    terms: { networks: ['192.0.2.0/24'], id: -1n },
  }
  const sealed = seal(request, { ...created, expiresAt: undefined })
  assert.deepEqual(unseal(repeatableRequest(BY, CALL), sealed), { ...created, token: SECRET })
})

test('nothing that the store keeps shows the secret or the key, and no two seals are equal', () => {
  const request = { ...repeatableRequest(BY, CALL), unstored: { token: SECRET } }
  const texts = [seal(request, { id: 1n }), seal(request, { id: 1n })]
  assert.notEqual(texts[0], texts[1])
  for (const text of [...texts, request.key, request.fingerprint]) {
    const bytes = Buffer.from(text, 'base64url')
    for (const hidden of [SECRET, BY.key, Buffer.from(request.sealingKey)]) assert.ok(!bytes.includes(hidden))
  }
})

test('only the same key of the same operator unseals, and only what was sealed', () => {
  const sealed = seal(repeatableRequest(BY, CALL), { id: 1n })
  for (const other of [
    { ...BY, tokenId: 2n },
    { ...BY, key: 'key-2' },
  ]) {
    const request = repeatableRequest(other, CALL)
    assert.notEqual(request.key, repeatableRequest(BY, CALL).key)
    assert.throws(() => unseal(request, sealed), StoreDamaged)
  }
  for (const changed of ['', sealed.slice(4), `A${sealed}`, sealed.slice(0, -4)]) {
    assert.throws(() => unseal(repeatableRequest(BY, CALL), changed), StoreDamaged, changed)
  }
})

test('requests are the same if their operation, path, query and body are', () => {
  const { fingerprint } = repeatableRequest(BY, CALL)
  assert.equal(repeatableRequest(BY, { ...CALL }).fingerprint, fingerprint)
  for (const other of [
    { method: 'PUT' },
    { target: '/admin/v1/tokens?a=b' },
    { target: '/admin/v1/pets?' },
    { body: Buffer.from('{"name":"Anna"} ') },
  ]) {
    assert.notEqual(repeatableRequest(BY, { ...CALL, ...other }).fingerprint, fingerprint)
  }
})
