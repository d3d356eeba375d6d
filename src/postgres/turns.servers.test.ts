import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { makePostgresPlace } from '../../test/support/servers/postgres-stores.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import { DEFAULT_SOURCE } from '../domain/source.ts'
import {
  create,
  createAccount,
  createKey,
  createToken,
  entry,
  LIMITS,
  NOW,
  newDeletion,
  newPet,
  newToken,
} from '../domain/store-contract/fixtures.contract.ts'

// Writes about animals take one turn after another, and all others another (migrations/0012_turns.sql).

/** An instance that is changing many animals, or an import at its last step. */
const CHANGING_ANIMALS = "SELECT take_turn('pet'); UPDATE pet SET name = 'Moritz'"

const TERM = { source: '192.0.2.7', earnedIn: 'minute', startedAt: NOW, endsAt: NOW + 60_000, ordinal: 1 } as const

/** The timeout of a call. */
const CALL_MS = 1_800

/** As instances of 1.1.0 begin each write of an operator. */
const TURN_OF_1_1_0 = 'SELECT callers FROM revision FOR UPDATE'

test('bans, revocations and other changes of callers do not wait until many animals have been changed', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const [store, other] = [await place.open({ instances: 'many' }), await place.open({ instances: 'many' })]
  const pet = await create(store, newPet({ name: 'Rex' }))
  const account = await createAccount(store, 'Acme')
  const { key } = await createKey(store, account.id)
  const source = await store.createSource({ ...DEFAULT_SOURCE, name: 'riverside' }, entry('source.create'))
  const commit = await place.hold(CHANGING_ANIMALS)
  const { corrections } = other.revision()

  const ban = await store.createBan(key.id, TERM)
  assert.ok(await store.liftBan(ban.id, entry('ban.lift')))
  assert.ok(await store.setPlan(account.id, 'pro', LIMITS, entry('account.set-plan')))
  assert.ok(await store.revokeKey(key.id, entry('key.revoke')))
  const { token } = await createToken(store)
  assert.ok(await store.revokeToken(token.id, entry('token.revoke')))

  await assert.rejects(store.deletePet(pet, entry('pet.delete')), StoreUnavailable)
  // One of its files may be what changes the animals.
  await assert.rejects(store.removeSource(source.id, entry('source.remove')), StoreUnavailable)
  assert.equal(other.revision().corrections, corrections)
  await commit()
  await eventually(() => assert.ok(other.revision().corrections > corrections))
  assert.equal((await other.findPet(pet.id))?.name, 'Moritz')
})

test('a token that is revoked while its operator changes an animal is revoked once that is done', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const pet = await create(store, newPet({ name: 'Rex' }))
  const { token } = await createToken(store, { role: 'staff' })
  const permit = { tokenId: token.id, role: 'staff' } as const
  const areWaiting = (calls: number) => eventually(async () => assert.equal((await place.waiting()).length, calls))
  const release = await place.hold('LOCK TABLE pet_change IN SHARE MODE')
  const correcting = store.correctPet(pet, { ...pet, name: 'Moritz' }, entry('pet.correct', { permit }))
  await areWaiting(1)
  const revoking = store.revokeToken(token.id, entry('token.revoke'))
  await areWaiting(2)
  await release()
  assert.ok(await revoking)
  assert.equal((await store.findPet(pet.id))?.name, 'Moritz')
  assert.ok(await correcting)
})

test('while instances of 1.1.0 may be serving, all writes of operators wait for theirs', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const pet = await create(store, newPet())
  await place.run('UPDATE store SET version = 1')
  const commit = await place.hold(TURN_OF_1_1_0)
  await assert.rejects(store.createToken(newToken(), entry('token.create')), StoreUnavailable)
  await assert.rejects(store.deletePet(pet, entry('pet.delete')), StoreUnavailable)
  await commit()
  await createToken(store)
  assert.ok(await store.deletePet(pet, entry('pet.delete')))
})

test('an instance of 1.1.0 that changes animals does not meet a turn that waits for it', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const store = await place.open({ instances: 'many' })
  const pets = [await create(store, newPet()), await create(store, newPet())] as const
  await place.run('UPDATE store SET version = 1')
  // In a deadlock, it would be the one that fails.
  const commit = await place.hold(`SET LOCAL deadlock_timeout = '10ms'; ${TURN_OF_1_1_0}`)
  const deleting = store.deletePet(pets[0], entry('pet.delete'))
  await eventually(async () => assert.equal((await place.waiting()).length, 1))
  // What a session of 1.1.0 does next, in the transaction that has the row.
  await commit(`DELETE FROM pet WHERE id = ${pets[1].id}`)
  assert.ok(await deleting)
  assert.equal(await store.findPet(pets[1].id), undefined)
})

test('undoing may take longer than a call, and ends when all instances have noticed it', async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const [store, other] = [await place.open({ instances: 'many' }), await place.open({ instances: 'many' })]
  const { pet, entryId } = await newDeletion(store)
  await place.run(`CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_sleep(${(2 * CALL_MS) / 1_000}); RETURN NULL; END $$;
    CREATE TRIGGER change_is_recorded_slowly AFTER INSERT ON pet_change EXECUTE FUNCTION slowly()`)
  const { corrections } = other.revision()
  const outcome = await store.undo(entryId, entry('pet.undo'))
  assert.ok('undone' in outcome)
  assert.ok(other.revision().corrections > corrections)
  assert.deepEqual(await other.findPet(pet.id), pet)
})
