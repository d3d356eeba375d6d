import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makePostgresPlace } from '../../test/support/servers/postgres-stores.ts'
import { createAccount, createKey, entry, NOW } from '../domain/store-contract/fixtures.contract.ts'
import { LEASE_MS } from './renewals.ts'
import { waitForInstances } from './wait-for-instances.ts'

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
  // A call takes two seconds at most. That instance would be waited for until its lease ends.
  assert.ok(milliseconds < LEASE_MS - 300, `${milliseconds} ms`)
  assert.equal((await place.run('SELECT FROM instance')).length, 2, 'the next change waits for it, too')
})

test('a change whose instances cannot be found out is acknowledged after the time that they have', async () => {
  const startedAt = performance.now()
  await waitForInstances(() => Promise.reject(new Error('The connection is gone.')), 300)
  assert.ok(performance.now() - startedAt >= 299)
})

test('a write that finds nothing to change waits for no instance', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  await place.run('INSERT INTO instance (seen, counts_alone) SELECT callers + corrections - 1, false FROM revision')
  const startedAt = performance.now()
  assert.equal(await store.revokeKey(4_711n, entry('key.revoke')), false)
  const milliseconds = performance.now() - startedAt
  assert.ok(milliseconds < LEASE_MS - 500, `${milliseconds} ms`)
})

test('a command waits once for an instance that was killed, also if no other one is there to find out', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const command = await place.open()
  await place.run('INSERT INTO instance (seen, counts_alone) SELECT callers + corrections, false FROM revision')
  const startedAt = performance.now()
  await createAccount(command, 'first')
  const firstMs = performance.now() - startedAt
  assert.ok(firstMs >= LEASE_MS && firstMs < 2 * LEASE_MS, `${firstMs} ms`)
  assert.deepEqual(await place.run('SELECT FROM instance'), [])
  await createAccount(command, 'second')
  assert.ok(performance.now() - startedAt - firstMs < LEASE_MS - 500)
})
