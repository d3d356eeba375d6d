import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChangedCallers } from './changed-callers.ts'

const CALLER = { accountId: 1n, keyId: 2n }

test('a caller has changed with its key, with its account, and with all callers', () => {
  const changed = new ChangedCallers()
  assert.equal(changed.lastChangeOf(CALLER), 0)
  changed.add({ number: 1n, account_id: null, key_id: 2n }, 5)
  assert.equal(changed.lastChangeOf(CALLER), 5)
  changed.add({ number: 2n, account_id: 1n, key_id: null }, 6)
  assert.equal(changed.lastChangeOf(CALLER), 6)
  changed.add({ number: 3n, account_id: null, key_id: 1n }, 7)
  changed.add({ number: 4n, account_id: 2n, key_id: null }, 8)
  assert.equal(changed.lastChangeOf(CALLER), 6, 'an account and a key with the same id are different')
  changed.addAll(9)
  assert.equal(changed.lastChangeOf(CALLER), 9)
})

test('if more callers change than are remembered, none of the changes is lost', () => {
  const changed = new ChangedCallers()
  for (let id = 1n; id <= 25_000n; id += 1n) changed.add({ number: id, account_id: null, key_id: id }, Number(id))
  for (const keyId of [1n, 9_999n, 12_000n, 25_000n]) {
    assert.ok(changed.lastChangeOf({ accountId: 1n, keyId }) >= Number(keyId), String(keyId))
  }
  const ofOthers = changed.lastChangeOf({ accountId: 1n, keyId: 30_000n })
  assert.ok(0 < ofOthers && ofOthers < 25_000, 'only the newest changes are remembered one by one')
})
