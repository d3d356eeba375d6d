import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makePostgresPlace } from '../../test/support/servers/postgres-stores.ts'
import { createAccount, createKey, NOW } from '../domain/store-contract/fixtures.contract.ts'

test('a write that waited for its turn waits for an instance that hangs only as long as a call may take', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const account = await createAccount(store, 'Acme')
  const { key } = await createKey(store, account.id)
  // An instance that does not learn about the change.
  await place.run('INSERT INTO instance (seen, counts_alone) SELECT callers + corrections, false FROM revision')
  const release = await place.hold('SELECT FROM revision FOR UPDATE')
  const startedAt = performance.now()
  const banning = store.createBan(key.id, {
    source: '192.0.2.7',
    earnedIn: 'minute',
    startedAt: NOW,
    endsAt: NOW + 1,
    ordinal: 1,
  })
  await sleep(1_400)
  await release()
  assert.ok((await banning).id)
  const milliseconds = performance.now() - startedAt
  // Less than the wait for the turn and the timeout for that instance together.
  assert.ok(milliseconds < 1_400 + 900, `${milliseconds} ms`)
})
