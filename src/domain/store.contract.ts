import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { hashKey } from './api-key.ts'
import { Mistake } from './errors.ts'
import { IDEMPOTENCY_MS, type IdempotentRequest } from './idempotency.ts'
import { INT64_MAX, INT64_MIN } from './int64.ts'
import { type NewPet, PET_NAME_PATTERN, PET_STATUSES, type Pet } from './pet.ts'
import { DAY_MS } from './rate-limiter.ts'
import type { AccountCounts, Creation, NewKey, PetQuery, Revision, Store } from './store.ts'

/** An empty store. */
export interface OpenedStore {
  store: Store
  /** Closes the store and opens it again, as after a restart. */
  reopen(): Promise<Store>
  close(): Promise<void>
}

const NOW = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const MIDNIGHT = Date.UTC(2027, 2, 2)
const LIMITS = { perMinute: 60, perDay: 1_000 }

/** What every store promises. */
export function storeContract(name: string, openStore: () => Promise<OpenedStore>): void {
  const rule = (sentence: string, check: (store: Store, reopen: () => Promise<Store>) => Promise<void>) =>
    test(`${name}: ${sentence}`, async (t: TestContext) => {
      const { store, reopen, close } = await openStore()
      t.after(close)
      await check(store, reopen)
    })

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
      fc.string({ unit: 'binary', minLength: 1, maxLength: 255 }).filter(text => pattern.test(text)),
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

  rule('64 creations at once make 64 animals with ids of their own', async store => {
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

  rule('an id that no animal has finds none', async store => {
    await create(store, newPet())
    for (const id of [0n, 2n, -1n, INT64_MAX, INT64_MIN, INT64_MAX + 1n, INT64_MIN - 1n, 10n ** 30n]) {
      assert.equal(await store.findPet(id), undefined, String(id))
    }
  })

  rule('a page holds the animals of one status behind an id, by id, and tells whether more follow', async store => {
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

  rule('a creation that is repeated is carried out once and answered as it was first', async (store, reopen) => {
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

  rule('a key that was used for another body makes nothing', async store => {
    const request = await createRequest(store, 'key-1')
    const first = await store.createPet(newPet(), NOW, request)
    const other = await store.createPet(newPet(), NOW, { ...request, fingerprint: 'of another body' })
    assert.deepEqual(other, { outcome: 'mismatch' })
    assert.deepEqual((await store.listPets(firstPage)).pets, [petOf(first)])
    assert.equal((await store.createPet(newPet(), NOW, request)).outcome, 'replayed')
  })

  rule('of many equal creations at once exactly one is carried out', async store => {
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

  rule('of creations at once with one key and different bodies exactly one is carried out', async store => {
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

  rule('what is forgotten is only what is older than 24 hours', async store => {
    const request = await createRequest(store, 'key-1')
    await store.createPet(newPet(), NOW, request)
    await store.forgetExpired(NOW + IDEMPOTENCY_MS - 1)
    assert.equal((await store.createPet(newPet(), NOW + 1, request)).outcome, 'replayed')
    await store.forgetExpired(NOW + IDEMPOTENCY_MS)
    assert.equal((await store.createPet(newPet(), NOW + 1, request)).outcome, 'created')
    assert.equal((await store.listPets(firstPage)).pets.length, 2)
  })

  rule('an account is found by its id and its name, and listed by id', async (store, reopen) => {
    const names = ['Zoo', 'Acme', 'zoo', 'Ünïcode 🐕', "Robert'); --"]
    const accounts = await Promise.all(
      names.map((one, index) => store.createAccount({ name: one, plan: 'free', limits: LIMITS }, NOW + index)),
    )
    for (const [index, account] of accounts.entries()) {
      const unused = { deprecatedCalls: 0, lastDeprecatedCallAt: undefined }
      const expected = {
        id: account.id,
        name: names[index],
        plan: 'free',
        limits: LIMITS,
        createdAt: NOW + index,
        ...unused,
      }
      assert.deepEqual(account, expected)
    }
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await kept.listAccounts(), accounts.toSorted(byId))
      for (const account of accounts) {
        assert.deepEqual(await kept.findAccount(account.id), account)
        assert.deepEqual(await kept.findAccountByName(account.name), account)
      }
      assert.equal(await kept.findAccount(4_711n), undefined)
      assert.equal(await kept.findAccountByName('nobody'), undefined)
    }
  })

  rule('a name that an account has is taken', async store => {
    const account = await createAccount(store, 'Acme')
    await assert.rejects(store.createAccount({ name: 'Acme', plan: 'pro', limits: LIMITS }, NOW), (error: Error) => {
      assert.ok(error instanceof Mistake)
      assert.match(error.message, /Acme/)
      return true
    })
    assert.deepEqual(await store.listAccounts(), [account])
  })

  rule('of many that ask for one account name at once exactly one gets it', async store => {
    const wishes = await Promise.allSettled(Array.from({ length: 10 }, () => createAccount(store, 'Acme')))
    assert.equal(wishes.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.equal((await store.listAccounts()).length, 1)
  })

  rule('a changed plan is the account’s and its callers’', async (store, reopen) => {
    const account = await createAccount(store, 'Acme')
    const { hash } = await createKey(store, account.id)
    const limits = { perMinute: 1_000_000_000, perDay: 999_999_999 }
    await store.setPlan(account.id, 'enterprise', limits)
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await kept.findAccount(account.id), { ...account, plan: 'enterprise', limits })
      assert.deepEqual((await kept.findCaller(hash))?.limits, limits)
    }
  })

  rule('a key is found by its id and listed with its account', async (store, reopen) => {
    const acme = await createAccount(store, 'Acme')
    const other = await createAccount(store, 'Other')
    const first = await createKey(store, acme.id, { name: 'büro 🐕', expiresAt: NOW + 10 })
    const second = await createKey(store, other.id)
    const third = await createKey(store, acme.id)
    assert.deepEqual(first.key, {
      id: first.key.id,
      accountId: acme.id,
      accountName: 'Acme',
      name: 'büro 🐕',
      hint: 'hint',
      createdAt: NOW,
      expiresAt: NOW + 10,
      revokedAt: undefined,
      replacedBy: undefined,
    })
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await kept.listKeys(), [first.key, second.key, third.key])
      assert.deepEqual(await kept.listKeys(acme.id), [first.key, third.key])
      assert.deepEqual(await kept.listKeys(4_711n), [])
      assert.deepEqual(await kept.findKey(second.key.id), second.key)
      assert.equal(await kept.findKey(4_711n), undefined)
    }
  })

  rule('a caller is found by the hash of its key, also when the key is expired or revoked', async store => {
    const account = await createAccount(store, 'Acme')
    const { key, hash } = await createKey(store, account.id)
    const caller = { keyId: key.id, accountId: account.id, limits: LIMITS }
    const usable = { ...caller, expiresAt: undefined, revokedAt: undefined, lastBan: undefined }
    assert.deepEqual(await store.findCaller(hash), usable)
    const successor = await store.replaceKey(key.id, NOW + 5, newKey(account.id), NOW)
    assert.deepEqual(await store.findCaller(hash), { ...usable, expiresAt: NOW + 5 })
    await store.revokeKey(key.id, NOW + 3)
    assert.deepEqual(await store.findCaller(hash), { ...usable, expiresAt: NOW + 5, revokedAt: NOW + 3 })
    const replaced = { ...key, expiresAt: NOW + 5, revokedAt: NOW + 3, replacedBy: successor.id }
    assert.deepEqual(await store.findKey(key.id), replaced)
    assert.deepEqual(await store.findKey(successor.id), { ...successor, expiresAt: undefined, replacedBy: undefined })
    for (const unknown of ['', hashKey('unknown'), hash.toUpperCase(), `${hash} `]) {
      assert.equal(await store.findCaller(unknown), undefined)
    }
  })

  rule('the newest ban of a key is its caller’s last, and is listed', async (store, reopen) => {
    const account = await createAccount(store, 'Acme')
    const one = await createKey(store, account.id)
    const other = await createKey(store, account.id)
    await store.createBan(one.key.id, { startedAt: NOW, endsAt: NOW + 900_000, ordinal: 1 })
    const otherBan = await store.createBan(other.key.id, { startedAt: NOW + 1, endsAt: NOW + 900_001, ordinal: 1 })
    const second = { startedAt: NOW + 2, endsAt: NOW + 1_800_002, ordinal: 2 }
    const ban = await store.createBan(one.key.id, second)
    assert.deepEqual(ban, { id: ban.id, keyId: one.key.id, ...second, liftedAt: undefined })
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await kept.listBans(), [ban, otherBan])
      assert.deepEqual((await kept.findCaller(one.hash))?.lastBan, ban)
      assert.deepEqual((await kept.findCaller(other.hash))?.lastBan, otherBan)
    }
  })

  rule('a lifted ban stays listed, with the time it was lifted', async (store, reopen) => {
    const account = await createAccount(store, 'Acme')
    const { key, hash } = await createKey(store, account.id)
    const ban = await store.createBan(key.id, { startedAt: NOW, endsAt: NOW + 900_000, ordinal: 1 })
    await store.liftBan(ban.id, NOW + 7)
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await kept.listBans(), [{ ...ban, liftedAt: NOW + 7 }])
      assert.equal((await kept.findCaller(hash))?.lastBan?.liftedAt, NOW + 7)
    }
  })

  rule('an account, a key and a ban that change show in the revision at once, and nothing else does', async store => {
    let account = { id: 0n }
    let key = { id: 0n }
    let ban = { id: 0n }
    const term = { startedAt: NOW, endsAt: NOW + 900_000, ordinal: 1 }
    const changes: Record<string, () => Promise<unknown>> = {
      createAccount: async () => (account = await createAccount(store, 'Acme')),
      setPlan: () => store.setPlan(account.id, 'pro', { perMinute: 300, perDay: 10_000 }),
      createKey: async () => (key = (await createKey(store, account.id)).key),
      replaceKey: () => store.replaceKey(key.id, NOW + 10, newKey(account.id), NOW),
      createBan: async () => (ban = await store.createBan(key.id, term)),
      liftBan: () => store.liftBan(ban.id, NOW),
      revokeKey: () => store.revokeKey(key.id, NOW),
    }
    const others: Record<string, () => Promise<unknown>> = {
      saveCounts: () => store.saveCounts([countsOf(account.id, 3)]),
      addDeprecatedCalls: () => store.addDeprecatedCalls([{ accountId: account.id, calls: 1, lastAt: NOW }]),
      forgetExpired: () => store.forgetExpired(NOW),
      listAccounts: () => store.listAccounts(),
      takenName: () => createAccount(store, 'Acme').catch(() => undefined),
    }
    for (const [name, change] of Object.entries(changes)) {
      const before = store.revision()
      await change()
      const after = store.revision()
      assert.notEqual(after.callers, before.callers, name)
      assert.deepEqual({ ...after, callers: 0 }, { ...before, callers: 0 }, name)
    }
    for (const [name, other] of Object.entries(others)) {
      const before = store.revision()
      await other()
      assert.deepEqual(store.revision(), before, name)
    }
  })

  rule('each creation shows in the revision at once, as the newest id and as nothing else', async (store, reopen) => {
    const request = await createRequest(store, 'key-1')
    const before = store.revision()
    assert.equal(before.newestPetId, 0n)
    const withNewest = (newestPetId: bigint): Revision => ({ ...before, newestPetId })
    await create(store, newPet())
    assert.deepEqual(store.revision(), withNewest(1n))
    await store.createPet(newPet(), NOW, request)
    assert.deepEqual(store.revision(), withNewest(2n))
    await store.createPet(newPet(), NOW, request)
    await store.createPet(newPet(), NOW, { ...request, fingerprint: 'of another body' })
    assert.deepEqual(store.revision(), withNewest(2n))
    assert.deepEqual((await reopen()).revision(), withNewest(2n))
  })

  rule('counts come back as they were last saved, those with a window that is not over', async (store, reopen) => {
    const [first, second, third] = [
      await createAccount(store, 'first'),
      await createAccount(store, 'second'),
      await createAccount(store, 'third'),
    ]
    await store.saveCounts([countsOf(first.id, 1), countsOf(second.id, 2)])
    const latest = [
      countsOf(first.id, 1_000_000_000),
      { accountId: third.id, counts: { day: { used: 9, resetsAt: MIDNIGHT + DAY_MS } } },
    ]
    await store.saveCounts(latest)
    await store.saveCounts([])
    for await (const kept of nowAndAfterwards(store, reopen)) {
      const today = await kept.listCounts(NOW)
      assert.deepEqual(today.toSorted(byAccount), [latest[0], countsOf(second.id, 2), latest[1]])
      assert.equal((await kept.listCounts(MIDNIGHT - 1)).length, 3)
      const [tomorrow, ...others] = await kept.listCounts(MIDNIGHT + DAY_MS - 1)
      assert.deepEqual([tomorrow, others], [latest[1], []])
      assert.deepEqual(await kept.listCounts(MIDNIGHT + DAY_MS), [])
    }
  })

  rule('a count whose minute crosses midnight comes back until that minute is over', async store => {
    const { id } = await createAccount(store, 'Acme')
    const minute = { used: 3, resetsAt: MIDNIGHT + 10_000 }
    const saved = { accountId: id, counts: { minute, day: { used: 9, resetsAt: MIDNIGHT } } }
    await store.saveCounts([saved])
    assert.deepEqual(await store.listCounts(MIDNIGHT + 9_999), [saved])
    assert.deepEqual(await store.listCounts(MIDNIGHT + 10_000), [])
  })

  rule('calls of the deprecated operation are added up per account', async (store, reopen) => {
    const [acme, other] = [await createAccount(store, 'Acme'), await createAccount(store, 'Other')]
    await store.addDeprecatedCalls([{ accountId: acme.id, calls: 3, lastAt: NOW }])
    await store.addDeprecatedCalls([
      { accountId: acme.id, calls: 4, lastAt: NOW + 5 },
      { accountId: other.id, calls: 1, lastAt: NOW + 1 },
    ])
    await store.addDeprecatedCalls([])
    const expected = [
      { ...acme, deprecatedCalls: 7, lastDeprecatedCallAt: NOW + 5 },
      { ...other, deprecatedCalls: 1, lastDeprecatedCallAt: NOW + 1 },
    ]
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await kept.listAccounts(), expected)
      assert.deepEqual(await kept.findAccount(acme.id), expected[0])
      assert.deepEqual(await kept.findAccountByName('Other'), expected[1])
    }
  })

  rule('the secret that signs cursors is made once, and is no other store’s', async (store, reopen) => {
    const secret = Buffer.from(store.cursorSecret)
    assert.ok(secret.length >= 32)
    assert.deepEqual(Buffer.from((await reopen()).cursorSecret), secret)
    const another = await openStore()
    try {
      assert.notDeepEqual(Buffer.from(another.store.cursorSecret), secret)
    } finally {
      await another.close()
    }
  })
}

const firstPage: PetQuery = { status: undefined, afterId: 0n, limit: 1_000 }

function newPet(members: Partial<NewPet> = {}): NewPet {
  return { name: 'Rex', categoryId: 7n, status: 'available', ...members }
}

async function create(store: Store, pet: NewPet): Promise<Pet> {
  return petOf(await store.createPet(pet, NOW))
}

/** Many at once; in the order given, whatever order their ids have. */
function createAll(store: Store, pets: readonly NewPet[]): Promise<Pet[]> {
  return Promise.all(pets.map(pet => create(store, pet)))
}

/** That many animals, of each status in turn. */
function mixed(count: number): NewPet[] {
  return Array.from({ length: count }, (_, index) => newPet({ status: PET_STATUSES[index % 3] ?? 'sold' }))
}

/** A store as it is, and as it is after a restart. */
async function* nowAndAfterwards(store: Store, reopen: () => Promise<Store>): AsyncGenerator<Store> {
  yield store
  yield await reopen()
}

function petOf(creation: Creation): Pet {
  assert.ok('pet' in creation, creation.outcome)
  return creation.pet
}

function createAccount(store: Store, name: string) {
  return store.createAccount({ name, plan: 'free', limits: LIMITS }, NOW)
}

let keys = 0

async function createKey(store: Store, accountId: bigint, more: Partial<NewKey> = {}) {
  const key = newKey(accountId, more)
  return { hash: key.hash, key: await store.createKey(key, NOW) }
}

function newKey(accountId: bigint, more: Partial<NewKey> = {}): NewKey {
  keys += 1
  return { accountId, hash: hashKey(`key ${keys}`), hint: 'hint', name: undefined, expiresAt: undefined, ...more }
}

let accounts = 0

/** A request of a new account. */
async function createRequest(store: Store, key: string, fingerprint = 'of the body'): Promise<IdempotentRequest> {
  accounts += 1
  const { id } = await createAccount(store, `account ${accounts}`)
  return { accountId: id, key, fingerprint }
}

function countsOf(accountId: bigint, used: number): AccountCounts {
  return { accountId, counts: { minute: { used, resetsAt: NOW + 50_000 }, day: { used, resetsAt: MIDNIGHT } } }
}

function byId(one: { id: bigint }, other: { id: bigint }): number {
  return Number(one.id - other.id)
}

function byAccount(one: AccountCounts, other: AccountCounts): number {
  return Number(one.accountId - other.accountId)
}
