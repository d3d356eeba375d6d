import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { inTime } from '../../test/support/in-time.ts'
import { makePostgresPlace } from '../../test/support/servers/postgres-stores.ts'
import { createAccount, createKey, entry, NOW } from '../domain/store-contract/fixtures.contract.ts'
import { LEASE_MS } from './renewals.ts'
import { waitForInstances } from './wait-for-instances.ts'

/** A call takes two seconds at most, and an instance that does not respond delays a change by four. The rest is for the database. */
const [CALL_MS, PATIENCE_MS] = [2_000 + 500, 4_000 + 500]

test('a write that waited for its turn waits for an instance that hangs only as long as a call may take', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const account = await createAccount(store, 'Acme')
  const { key } = await createKey(store, account.id)
  // An instance that does not learn about the change.
  await place.run('INSERT INTO instance (seen, counts_alone) SELECT callers + corrections, false FROM revision')
  const release = await place.hold('SELECT FROM revision FOR UPDATE')
  const term = { source: '192.0.2.7', earnedIn: 'minute', startedAt: NOW, endsAt: NOW + 1, ordinal: 1 } as const
  const banning = inTime(CALL_MS, 'the write', store.createBan(key.id, term))
  await sleep(1_000)
  await release()
  assert.ok((await banning).id)
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
  // Less than it would wait for that instance.
  const revoked = await inTime(LEASE_MS - 500, 'the write', store.revokeKey(4_711n, entry('key.revoke')))
  assert.equal(revoked, false)
})

test('a command waits once for an instance that was killed, also if no other one is there to find out', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const command = await place.open()
  await place.run('INSERT INTO instance (seen, counts_alone) SELECT callers + corrections, false FROM revision')
  const startedAt = performance.now()
  await inTime(PATIENCE_MS, 'the first change', createAccount(command, 'first'))
  assert.ok(performance.now() - startedAt >= LEASE_MS)
  assert.deepEqual(await place.run('SELECT FROM instance'), [])
  // Less than it would wait again; how long a change takes is not promised.
  await inTime(LEASE_MS - 500, 'the second change', createAccount(command, 'second'))
})
