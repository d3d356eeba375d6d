import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyText } from '../../../test/support/text.ts'
import type { WriteTerms } from '../account.ts'
import { IDEMPOTENCY_MS } from '../idempotency.ts'
import { INT64_MAX, INT64_MIN } from '../int64.ts'
import { PET_NAME_PATTERN, PET_STATUSES, type Pet } from '../pet.ts'
import {
  byId,
  create,
  createAccount,
  createAll,
  createKey,
  createRequest,
  entry,
  firstPage,
  mixed,
  NOW,
  newKey,
  newPet,
  nowAndAfterwards,
  petOf,
  type Rule,
} from './fixtures.contract.ts'

/** The animals, as the public API lists and creates them. */
export function animalsContract(rule: Rule): void {
  rule('an animal comes back as it was created, every int64 digit for digit', async (store, reopen) => {
    const categories = [INT64_MAX, INT64_MIN, 0n, -1n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, INT64_MAX - 1n]
    const pets = mixed(categories.length).map((pet, index) => ({ ...pet, categoryId: categories[index] ?? 0n }))
    const created = await createAll(store, pets)
    assert.deepEqual(
      created,
      pets.map((pet, index) => ({ ...pet, id: created[index]?.id })),
    )
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual((await kept.listPets(firstPage)).pets, created.toSorted(byId))
      for (const pet of created) assert.deepEqual(await kept.findPet(pet.id), pet)
    }
  })

  rule('a name comes back code point for code point', async (store, reopen) => {
    const pattern = new RegExp(PET_NAME_PATTERN, 'u')
    const odd = [
      'e\u0301',
      '\u00e9',
      '\u212b',
      '🐕‍🦺',
      '🏴󠁧󠁢󠁳󠁣󠁴󠁿',
      ' Rex ',
      '\ufeffRex\ufeff',
      '\uffff',
      '\u{10ffff}',
      "'; --",
      '\u202eRex',
    ]
    const long = ['🐕'.repeat(255), '\u0301'.repeat(255), 'x'.repeat(255), '\u{10fffd}'.repeat(255)]
    const drawn = fc.sample(
      anyText({ minLength: 1, maxLength: 255 }).filter(text => pattern.test(text)),
      200,
    )
    const names = [...odd, ...long, ...drawn]
    const created = await createAll(
      store,
      names.map(one => newPet({ name: one })),
    )
    for await (const kept of nowAndAfterwards(store, reopen)) {
      for (const [index, { id }] of created.entries()) assert.equal((await kept.findPet(id))?.name, names[index])
    }
  })

  rule('ids begin at 1 and rise by the order of creation', async (store, reopen) => {
    const ids: bigint[] = []
    for (let count = 0; count < 3; count += 1) ids.push((await create(store, newPet())).id)
    assert.deepEqual(ids, [1n, 2n, 3n])
    const reopened = await reopen()
    for (let count = 0; count < 3; count += 1) ids.push((await create(reopened, newPet())).id)
    assert.deepEqual(
      ids,
      [...new Set(ids)].toSorted((one, other) => Number(one - other)),
    )
  })

  rule('64 creations at once make 64 animals with different ids', async store => {
    const created = await Promise.all(
      Array.from({ length: 64 }, (_, index) => create(store, newPet({ name: `animal ${index}` }))),
    )
    assert.equal(new Set(created.map(({ id }) => id)).size, 64)
    for (const [index, pet] of created.entries()) {
      assert.equal(pet.name, `animal ${index}`)
      assert.deepEqual(await store.findPet(pet.id), pet)
    }
    const { pets } = await store.listPets(firstPage)
    assert.deepEqual(pets, created.toSorted(byId))
  })

  rule('an id without an animal finds none', async store => {
    await create(store, newPet())
    for (const id of [0n, 2n, -1n, INT64_MAX, INT64_MIN, INT64_MAX + 1n, INT64_MIN - 1n, 10n ** 30n]) {
      assert.equal(await store.findPet(id), undefined, String(id))
    }
  })

  rule('a page has the animals of one status after an id, by id, and shows whether more follow', async store => {
    const all = (await createAll(store, mixed(25))).toSorted(byId)
    for (const status of [undefined, ...PET_STATUSES]) {
      for (const afterId of [0n, ...all.map(({ id }) => id), INT64_MAX]) {
        for (const limit of [1, 2, 7, 24, 25, 100]) {
          const matching = all.filter(pet => (!status || pet.status === status) && pet.id > afterId)
          const page = await store.listPets({ status, afterId, limit })
          assert.deepEqual(page, { pets: matching.slice(0, limit), hasMore: matching.length > limit })
        }
      }
    }
  })

  rule('an empty store has one empty page', async store => {
    for (const status of [undefined, ...PET_STATUSES]) {
      assert.deepEqual(await store.listPets({ ...firstPage, status }), { pets: [], hasMore: false })
    }
  })

  for (const status of [undefined, 'sold'] as const) {
    const which = status ? `the ${status} animals` : 'all pages'
    rule(
      `a walk over ${which} meets each that was there at its start once, whatever is added meanwhile`,
      async store => {
        const existing = (await createAll(store, mixed(60)))
          .filter(pet => !status || pet.status === status)
          .toSorted(byId)
        const added: Promise<Pet[]>[] = []
        const met: bigint[] = []
        let afterId = 0n
        for (let hasMore = true; hasMore; ) {
          if (added.length < 20) added.push(createAll(store, mixed(5)))
          const page = await store.listPets({ status, afterId, limit: 7 })
          if (added.length < 20) await added.at(-1)
          met.push(...page.pets.map(({ id }) => id))
          afterId = met.at(-1) ?? afterId
          hasMore = page.hasMore
        }
        await Promise.all(added)
        assert.deepEqual(
          met.filter(id => existing.some(pet => pet.id === id)),
          existing.map(({ id }) => id),
        )
        assert.equal(new Set(met).size, met.length)
      },
    )
  }

  rule('a repeated creation is carried out once, and gets the first answer again', async (store, reopen) => {
    const request = await createRequest(store, 'key-1')
    const first = await store.createPet(newPet({ name: 'Rex', categoryId: INT64_MAX }), NOW, request)
    assert.equal(first.outcome, 'created')
    const replayed = { outcome: 'replayed', pet: petOf(first) }
    assert.deepEqual(await store.createPet(newPet({ name: 'Rex', categoryId: INT64_MAX }), NOW + 1, request), replayed)
    const reopened = await reopen()
    assert.deepEqual(
      await reopened.createPet(newPet({ name: 'Rex', categoryId: INT64_MAX }), NOW + 2, request),
      replayed,
    )
    assert.deepEqual((await reopened.listPets(firstPage)).pets, [petOf(first)])
  })

  rule('an idempotency key that was used for another body creates nothing', async store => {
    const request = await createRequest(store, 'key-1')
    const first = await store.createPet(newPet(), NOW, request)
    const other = await store.createPet(newPet(), NOW, { ...request, fingerprint: 'of another body' })
    assert.deepEqual(other, { outcome: 'mismatch' })
    assert.deepEqual((await store.listPets(firstPage)).pets, [petOf(first)])
    assert.equal((await store.createPet(newPet(), NOW, request)).outcome, 'replayed')
  })

  rule('of concurrent equal creations, exactly one is carried out', async store => {
    const request = await createRequest(store, 'key-1')
    const creations = await Promise.all(Array.from({ length: 64 }, () => store.createPet(newPet(), NOW, request)))
    assert.equal(creations.filter(({ outcome }) => outcome === 'created').length, 1)
    const [pet] = (await store.listPets(firstPage)).pets
    for (const creation of creations) {
      if (creation.outcome === 'in_progress') continue
      assert.ok(creation.outcome === 'created' || creation.outcome === 'replayed', creation.outcome)
      assert.deepEqual(creation.pet, pet)
    }
    assert.equal((await store.listPets(firstPage)).pets.length, 1)
    assert.deepEqual(await store.createPet(newPet(), NOW, request), { outcome: 'replayed', pet })
  })

  rule('of concurrent creations with one key and different bodies, exactly one is carried out', async store => {
    const request = await createRequest(store, 'key-1')
    const creations = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store.createPet(newPet(), NOW, { ...request, fingerprint: `${index}` })),
    )
    const outcomes = creations.map(({ outcome }) => outcome)
    assert.equal(outcomes.filter(outcome => outcome === 'created').length, 1)
    assert.ok(!outcomes.includes('replayed'))
    assert.equal((await store.listPets(firstPage)).pets.length, 1)
  })

  rule('idempotency keys belong to their account', async store => {
    const request = await createRequest(store, 'key-1')
    const other = await createRequest(store, 'key-1', 'of another body')
    const creations = await Promise.all([
      store.createPet(newPet(), NOW, request),
      store.createPet(newPet(), NOW, other),
    ])
    assert.deepEqual(
      creations.map(({ outcome }) => outcome),
      ['created', 'created'],
    )
  })

  rule('idempotency keys differ by case and by every character', async store => {
    const request = await createRequest(store, 'key')
    const longest = 'k'.repeat(254)
    for (const key of ['key', 'Key', 'KEY', 'key%', '_ey', '"key"', `${longest}a`, `${longest}b`]) {
      assert.equal((await store.createPet(newPet(), NOW, { ...request, key })).outcome, 'created', key)
    }
  })

  rule('an idempotency key is free again after 24 hours, and not before', async store => {
    const request = await createRequest(store, 'key-1')
    const first = petOf(await store.createPet(newPet(), NOW, request))
    const last = await store.createPet(newPet(), NOW + IDEMPOTENCY_MS - 1, request)
    assert.deepEqual(last, { outcome: 'replayed', pet: first })
    const otherBody = { ...request, fingerprint: 'of another body' }
    const again = await store.createPet(newPet(), NOW + IDEMPOTENCY_MS, otherBody)
    assert.equal(again.outcome, 'created')
    assert.ok(petOf(again).id > first.id)
    const replay = await store.createPet(newPet(), NOW + 2 * IDEMPOTENCY_MS - 1, otherBody)
    assert.deepEqual(replay, { outcome: 'replayed', pet: petOf(again) })
  })
  rule('a caller creates an animal only on the terms that its key has at that moment', async store => {
    const { id: accountId } = await createAccount(store, 'Acme')
    const bound = ['192.0.2.0/24', '2001:db8::/32']
    const { key } = await createKey(store, accountId, { networks: bound, expiresAt: NOW + 10 })
    const terms = { keyId: key.id, networks: bound, expiresAt: NOW + 10 }
    const outcomes = async (given: WriteTerms) => {
      const request = { accountId, key: `once ${requests++}`, fingerprint: 'of the body' }
      const creations = [
        store.createPet(newPet(), NOW, undefined, given),
        store.createPet(newPet(), NOW, request, given),
      ]
      return (await Promise.all(creations)).map(({ outcome }) => outcome)
    }
    let requests = 0
    const permitted = ['created', 'created']
    const refused = ['not_permitted', 'not_permitted']
    assert.deepEqual(await outcomes(terms), permitted)
    assert.deepEqual(await outcomes({ ...terms, networks: undefined }), refused)
    assert.deepEqual(await outcomes({ ...terms, networks: bound.slice(1) }), refused)
    assert.deepEqual(await outcomes({ ...terms, expiresAt: undefined }), refused)
    assert.deepEqual(await outcomes({ ...terms, keyId: 4_711n }), refused)

    await store.changeKey(key.id, { name: 'till' }, entry('key.change'))
    assert.deepEqual(await outcomes(terms), permitted)
    await store.changeKey(key.id, { networks: null }, entry('key.change'))
    assert.deepEqual(await outcomes(terms), refused)
    assert.deepEqual(await outcomes({ ...terms, networks: undefined }), permitted)
    await store.replaceKey(key.id, NOW + 5, newKey(accountId), entry('key.rotate'))
    const now = { keyId: key.id, networks: undefined, expiresAt: NOW + 5 }
    assert.deepEqual(await outcomes({ ...now, expiresAt: NOW + 10 }), refused)
    assert.deepEqual(await outcomes(now), permitted)
    await store.changeKey(key.id, { scope: 'read' }, entry('key.change'))
    assert.deepEqual(await outcomes(now), refused)
    await store.changeKey(key.id, { scope: 'read-write' }, entry('key.change'))
    await store.setSuspended(accountId, NOW, entry('account.suspend'))
    assert.deepEqual(await outcomes(now), refused)
    await store.setSuspended(accountId, undefined, entry('account.resume'))
    assert.deepEqual(await outcomes(now), permitted)
    await store.revokeKey(key.id, entry('key.revoke'))
    assert.deepEqual(await outcomes(now), refused)

    const { key: other } = await createKey(store, accountId)
    const others = { keyId: other.id, networks: undefined, expiresAt: undefined }
    assert.deepEqual(await outcomes(others), permitted)
    await store.deleteAccount(accountId, entry('account.delete'))
    assert.deepEqual(await outcomes(others), refused)
    assert.equal((await store.listPets(firstPage)).pets.length, 12, 'what is refused adds nothing')
  })

  rule('a repeated request is not answered to a caller that may no longer write', async store => {
    const { id: accountId } = await createAccount(store, 'Acme')
    const { key } = await createKey(store, accountId)
    const request = { accountId, key: 'key-1', fingerprint: 'of the body' }
    const terms = { keyId: key.id, networks: undefined, expiresAt: undefined }
    assert.equal((await store.createPet(newPet(), NOW, request, terms)).outcome, 'created')
    assert.equal((await store.createPet(newPet(), NOW, request, terms)).outcome, 'replayed')
    await store.revokeKey(key.id, entry('key.revoke'))
    assert.equal((await store.createPet(newPet(), NOW, request, terms)).outcome, 'not_permitted')
  })

  rule(
    'a caller that may not write does not affect those whose animals are created together with its own',
    async store => {
      const { id: accountId } = await createAccount(store, 'Acme')
      const keys = await Promise.all(Array.from({ length: 6 }, async () => (await createKey(store, accountId)).key))
      for (const { id } of keys.slice(0, 3)) await store.revokeKey(id, entry('key.revoke'))
      const creations = await Promise.all(
        Array.from({ length: 60 }, (_, index) => {
          const terms = { keyId: keys[index % 6]?.id ?? 0n, networks: undefined, expiresAt: undefined }
          const request = index % 4 === 0 ? { accountId, key: `once ${index}`, fingerprint: '' } : undefined
          return store.createPet(newPet({ name: `animal ${index}` }), NOW, request, index % 5 === 0 ? undefined : terms)
        }),
      )
      for (const [index, creation] of creations.entries()) {
        const isRefused = index % 6 < 3 && index % 5 !== 0
        assert.equal(creation.outcome, isRefused ? 'not_permitted' : 'created', `animal ${index}`)
        if (!isRefused) assert.equal(petOf(creation).name, `animal ${index}`)
      }
      const { pets } = await store.listPets(firstPage)
      assert.deepEqual(pets, creations.flatMap(one => ('pet' in one ? [one.pet] : [])).toSorted(byId))
    },
  )
}
