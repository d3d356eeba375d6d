import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../test/support/eventually.ts'
import { makePostgresPlace } from '../../test/support/servers/postgres-stores.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import { INT64_MAX } from '../domain/int64.ts'
import {
  create,
  createAccount,
  createAll,
  createKey,
  createRequest,
  entry,
  firstPage,
  mixed,
  NOW,
  newPet,
  petOf,
} from '../domain/store-contract/fixtures.contract.ts'
import { COUNT_EARLIER } from './finish-upgrade.ts'
import { Pool } from './pool.ts'
import type { PostgresStore } from './store.ts'

test('1,000 creations at once take a few transactions, each reported with its number of creations', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const batches: number[] = []
  const watch = {
    committed(writes: number, milliseconds: number) {
      assert.ok(milliseconds > 0)
      batches.push(writes)
    },
    leaseLost() {},
    leaseRestored() {},
  }
  const store = await place.open({ watch })
  // Each caller sends its next request after its answer.
  await Promise.all(
    Array.from({ length: 100 }, async () => {
      for (let count = 0; count < 10; count += 1) await create(store, newPet())
    }),
  )
  const [{ transactions } = {}] = await place.run('SELECT count(DISTINCT xmin::text)::int AS transactions FROM pet')
  assert.ok(Number(transactions) < 100, `${transactions} transactions`)
  assert.equal(batches.length, transactions)
  assert.equal(
    batches.reduce((sum, writes) => sum + writes, 0),
    1_000,
  )
})

test('an error in reporting a commit affects nothing: that creation and later ones are answered', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const watch = {
    committed() {
      throw new Error('the report failed')
    },
    leaseLost() {},
    leaseRestored() {},
  }
  const store = await place.open({ watch })
  for (let count = 0; count < 3; count += 1) await create(store, newPet())
  assert.equal((await store.listPets(firstPage)).pets.length, 3)
})

test('the source of ids does not grow while an old snapshot is being read, and does not count as an instance of 1.1.0', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const release = await place.hold('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT FROM pet')
  // More than fit on a page.
  for (let count = 0; count < 300; count += 1) await create(store, newPet())
  assert.deepEqual(await place.run(`SELECT last_value::int, pg_relation_size('pet_id')::int AS bytes FROM pet_id`), [
    { last_value: 300, bytes: 8_192 },
  ])
  await release()
  const letOthers = await place.hold('SELECT lock_pet_ids()')
  assert.deepEqual(await place.run(`SELECT ${COUNT_EARLIER} AS instances`), [{ instances: 0 }])
  await letOthers()
})

test('when two instances get the same request at once, one creates the animal and both return it', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const stores = [await place.open(), await place.open()] as const
  const { accountId } = await createRequest(stores[0], '')
  for (let round = 0; round < 20; round += 1) {
    const request = { accountId, key: `key ${round}`, fingerprint: 'of the body' }
    const creations = await Promise.all(stores.map(store => store.createPet(newPet(), NOW, request)))
    assert.deepEqual(creations.map(({ outcome }) => outcome).toSorted(), ['created', 'replayed'])
    const [one, other] = creations.map(petOf)
    assert.deepEqual(one, other)
    const reused = stores[round % 2 === 0 ? 0 : 1].createPet(newPet(), NOW, { ...request, fingerprint: 'of another' })
    assert.deepEqual(await reused, { outcome: 'mismatch' })
  }
  const { pets } = await stores[0].listPets(firstPage)
  assert.deepEqual(
    pets.map(({ id }) => id),
    Array.from({ length: 20 }, (_, index) => BigInt(index + 1)),
    'what makes no animal takes no id',
  )
})

test('an animal that the database refuses does not affect those that are created together with it', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const wishes = mixed(40).map((pet, index) => ({ ...pet, name: `animal ${index}` }))
  const impossible = [
    newPet({ name: 'Rex\0' }),
    newPet({ categoryId: INT64_MAX + 1n }),
    newPet({ status: 'lost' as 'sold' }),
  ]
  const [refused, created] = await Promise.all([
    Promise.allSettled(impossible.map(pet => create(store, pet))),
    createAll(store, wishes),
  ])
  for (const outcome of refused) {
    assert.ok(outcome.status === 'rejected' && outcome.reason instanceof StoreUnavailable)
  }
  assert.equal(new Set(created.map(({ id }) => id)).size, 40)
  for (const [index, pet] of created.entries()) assert.equal(pet.name, wishes[index]?.name)
  assert.equal((await store.listPets(firstPage)).pets.length, 40)
})

test('creations that time out together are not sent again one by one', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const letOthers = await place.hold('SELECT lock_pet_ids()')
  const sent = t.mock.method(Pool.prototype, 'query').mock
  for (const outcome of await Promise.allSettled([1, 2].map(() => create(store, newPet())))) {
    assert.ok(outcome.status === 'rejected' && outcome.reason instanceof StoreUnavailable)
  }
  await store.close()
  await letOthers()
  assert.equal(sent.calls.filter(({ arguments: [sql] }) => sql.startsWith('WITH wish')).length, 1)
})

test('creations that are waiting when the store is closed are still carried out', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open()
  const creations = createAll(store, mixed(50))
  await store.close()
  assert.equal((await creations).length, 50)
  await assert.rejects(create(store, newPet()), StoreUnavailable)
  assert.equal((await (await place.open()).listPets(firstPage)).pets.length, 50)
})

test('a change of a key is not acknowledged while a creation that began before it may still be committed', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const instances = 'many'
  const [creator, operator] = [await place.open({ instances }), await place.open({ instances })]
  const command = await place.open()
  let round = 0
  /** @returns whether the creation was carried out: on a busy machine, its wait may time out before it gets its turn */
  const revokeDuringCreation = async (changer: PostgresStore) => {
    round += 1
    const { id } = await createAccount(operator, `account ${round}`)
    const { key } = await createKey(operator, id)
    const terms = { keyId: key.id, networks: undefined, expiresAt: undefined }
    const letOthers = await place.hold('SELECT lock_pet_ids()')
    const events: string[] = []
    const creating = creator
      .createPet(newPet(), NOW, undefined, terms)
      .then(({ outcome }) => outcome, timedOut)
      .then(outcome => events.push(outcome))
    // It has begun, with the key as it is now, and waits for its turn.
    await eventually(async () => assert.ok((await place.waiting()).length === 1 || events.length > 0))
    const revoking = changer.revokeKey(key.id, entry('key.revoke')).then(() => events.push('revoked'))
    await eventually(async () => {
      const rows = await place.run(`SELECT FROM api_key WHERE id = ${key.id} AND revoked_at IS NOT NULL`)
      assert.equal(rows.length, 1)
    })
    await sleep(100)
    const isWaiting = events.length === 0
    await letOthers()
    await Promise.all([creating, revoking])
    if (events[0] === 'timed out') return false
    assert.ok(isWaiting)
    assert.deepEqual(events, ['created', 'revoked'])
    assert.equal((await creator.createPet(newPet(), NOW, undefined, terms)).outcome, 'not_permitted')
    return true
  }
  for (const changer of [operator, creator, command]) while (!(await revokeDuringCreation(changer)));
})

function timedOut(error: unknown): string {
  assert.ok(error instanceof StoreUnavailable)
  return 'timed out'
}
