import assert from 'node:assert/strict'
import type { Account, AccountVersion } from '../account.ts'
import { INT64_MAX } from '../int64.ts'
import { ACCOUNT_ORDERS, type AccountOrder, type AccountQuery } from '../store/accounts.ts'
import type { Store } from '../store.ts'
import { DAY_MS } from '../time.ts'
import { DAY_HOURS, dayOf, daysFrom } from '../usage.ts'
import { countsOf } from './counts.contract.ts'
import {
  audit,
  byId,
  createAccount,
  createKey,
  entry,
  firstPage,
  LIMITS,
  listAccounts,
  NOW,
  newKey,
  newPet,
  nowAndAfterwards,
  type Rule,
} from './fixtures.contract.ts'
import { usageOf } from './usage.contract.ts'

/** The accounts. */
export function accountsContract(rule: Rule): void {
  rule('an account is found by its id and its name, and listed by id', async (store, reopen) => {
    const names = ['Zoo', 'Acme', 'zöo', 'Ünïcode 🐕', "Robert'); --"]
    const accounts = await Promise.all(
      names.map((one, index) =>
        store.createAccount({ name: one, plan: 'free', limits: LIMITS }, entry('account.create', { at: NOW + index })),
      ),
    )
    for (const [index, account] of accounts.entries()) {
      const unused = { suspendedAt: undefined, deprecatedCalls: 0, lastDeprecatedCallAt: undefined }
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
      assert.deepEqual(await listAccounts(kept), accounts.toSorted(byId))
      for (const account of accounts) {
        assert.deepEqual(await kept.findAccount(account.id), account)
        assert.deepEqual(await kept.findAccountByName(account.name), account)
      }
      assert.equal(await kept.findAccount(4_711n), undefined)
      assert.equal(await kept.findAccountByName('nobody'), undefined)
    }
  })

  rule('a new account cannot have the name of another', async store => {
    const account = await createAccount(store, 'Acme')
    const again = store.createAccount({ name: 'Acme', plan: 'pro', limits: LIMITS }, entry('account.create'))
    await assert.rejects(again, { name: 'UserError', kind: 'conflict', message: /Acme/ })
    assert.deepEqual(await listAccounts(store), [account])
  })

  rule('names of accounts are unique regardless of case and normal form, also when one is renamed', async store => {
    const { id } = await createAccount(store, 'Café')
    const { id: other } = await createAccount(store, 'Cafe')
    for (const name of ['CAFÉ', 'cafe\u0301']) {
      await assert.rejects(createAccount(store, name), { name: 'UserError', kind: 'conflict' })
      const renamed = store.renameAccount(other, name, entry('account.rename'))
      await assert.rejects(renamed, { name: 'UserError', kind: 'conflict' })
    }
    assert.ok(await store.renameAccount(id, 'CAFÉ', entry('account.rename')))
  })

  rule('when many accounts are created with one name at once, exactly one gets it', async store => {
    const wishes = await Promise.allSettled(Array.from({ length: 10 }, () => createAccount(store, 'Acme')))
    assert.equal(wishes.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.equal((await listAccounts(store)).length, 1)
  })

  rule('a changed plan shows on the account and its callers', async (store, reopen) => {
    const account = await createAccount(store, 'Acme')
    const { hash } = await createKey(store, account.id)
    const limits = { perMinute: 1_000_000_000, perDay: 999_999_999 }
    const changed = await store.setPlan(account.id, 'enterprise', limits, entry('account.set-plan'))
    assert.deepEqual(changed, { ...account, plan: 'enterprise', limits })
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await kept.findAccount(account.id), changed)
      const caller = await kept.findCaller(hash)
      assert.deepEqual([caller?.plan, caller?.limits], ['enterprise', limits])
    }
  })

  rule('a name or a plan that an account already has is not an action', async store => {
    const account = await createAccount(store, 'Acme')
    const { id, name, plan, limits } = account
    const before = await audit(store)
    assert.deepEqual(await store.renameAccount(id, name, entry('account.rename')), account)
    assert.deepEqual(await store.setPlan(id, plan, limits, entry('account.set-plan')), account)
    assert.deepEqual(await audit(store), before)
    assert.ok(await store.setPlan(id, plan, { ...limits, perDay: limits.perDay + 1 }, entry('account.set-plan')))
    assert.equal((await audit(store)).length, before.length + 1)
  })

  rule('a renamed account is found only by its new name, which its keys show', async (store, reopen) => {
    const account = await createAccount(store, 'Acme')
    const { key } = await createKey(store, account.id)
    const newEntry = entry('account.rename', {
      accountId: account.id,
      before: { name: 'Acme' },
      after: { name: 'Zoo' },
    })
    assert.deepEqual(await store.renameAccount(account.id, 'Zoo', newEntry), { ...account, name: 'Zoo' })
    assert.ok(await createAccount(store, 'Acme'), 'the old name is free')
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await kept.findAccountByName('Zoo'), { ...account, name: 'Zoo' })
      assert.notEqual((await kept.findAccountByName('Acme'))?.id, account.id)
      assert.equal((await kept.findKey(key.id))?.accountName, 'Zoo')
      assert.deepEqual((await audit(kept))[1], { ...newEntry, id: 3n, subjectId: account.id })
    }
  })

  rule('an account cannot be renamed to the name of another, but may keep its own', async store => {
    const [acme, zoo] = [await createAccount(store, 'Acme'), await createAccount(store, 'Zoo')]
    const before = await audit(store)
    await assert.rejects(store.renameAccount(zoo.id, 'Acme', entry('account.rename')), {
      name: 'UserError',
      kind: 'conflict',
      message: /Acme/,
    })
    assert.equal(await store.renameAccount(4_711n, 'Other', entry('account.rename')), undefined)
    assert.deepEqual(await listAccounts(store), [acme, zoo])
    assert.deepEqual(await audit(store), before)
    assert.deepEqual(await store.renameAccount(acme.id, 'Acme', entry('account.rename')), acme)
    assert.deepEqual(await store.findAccount(acme.id), acme)
  })

  rule('an account is suspended once and resumed once, and its callers show it', async (store, reopen) => {
    const account = await createAccount(store, 'Acme')
    const { hash } = await createKey(store, account.id)
    const resume = (kept: Store) => kept.setSuspended(account.id, undefined, entry('account.resume'))
    const suspend = (kept: Store, at: number) => kept.setSuspended(account.id, at, entry('account.suspend', { at }))
    assert.equal(await resume(store), undefined)
    assert.deepEqual(await suspend(store, NOW + 5), { ...account, suspendedAt: NOW + 5 })
    assert.equal(await suspend(store, NOW + 6), undefined)
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await kept.findAccount(account.id), { ...account, suspendedAt: NOW + 5 })
      assert.equal((await kept.findCaller(hash))?.suspendedAt, NOW + 5)
      store = kept
    }
    assert.deepEqual(await resume(store), account)
    assert.equal(await resume(store), undefined)
    assert.deepEqual(await store.findAccount(account.id), account)
    assert.equal((await store.findCaller(hash))?.suspendedAt, undefined)
    for (const at of [NOW, undefined]) {
      assert.equal(await store.setSuspended(4_711n, at, entry('account.suspend')), undefined)
    }
    const actions = (await audit(store)).map(({ action }) => action)
    assert.deepEqual(actions, ['account.resume', 'account.suspend', 'key.issue', 'account.create'])
  })

  rule('an account is deleted with its keys, their bans, its counts and its idempotency keys', async store => {
    const [acme, zoo] = [await createAccount(store, 'Acme'), await createAccount(store, 'Zoo')]
    const [first, others] = [await createKey(store, acme.id), await createKey(store, zoo.id)]
    await store.replaceKey(first.key.id, NOW + 5, newKey(acme.id), entry('key.rotate'))
    const term = { source: '192.0.2.7', earnedIn: 'minute' as const, startedAt: NOW, endsAt: NOW + 900_000, ordinal: 1 }
    await store.createBan(first.key.id, term)
    const ban = await store.createBan(others.key.id, term)
    await store.saveCounts([countsOf(acme.id, 1), countsOf(zoo.id, 2)])
    const request = { key: 'key-1', fingerprint: 'of the body' }
    for (const { id } of [acme, zoo]) await store.createPet(newPet(), NOW, { ...request, accountId: id })

    const before = { name: 'Acme', plan: acme.plan, ...acme.limits, suspendedAt: null }
    const newEntry = entry('account.delete', { accountId: acme.id, before })
    assert.equal(await store.deleteAccount(acme.id, newEntry), true)
    assert.deepEqual((await audit(store))[0], { ...newEntry, id: 6n, subjectId: acme.id })
    assert.deepEqual(await listAccounts(store), [zoo])
    assert.equal(await store.findAccountByName('Acme'), undefined)
    assert.deepEqual(await store.listKeys(), [{ ...others.key, banEndsAt: ban.endsAt }])
    assert.equal(await store.findCaller(first.hash), undefined)
    assert.deepEqual(await store.listBans(), [ban])
    assert.deepEqual(await store.listCounts(NOW), [countsOf(zoo.id, 2)])
    const outcome = async ({ id }: { id: bigint }) =>
      (await store.createPet(newPet(), NOW, { ...request, accountId: id })).outcome
    assert.deepEqual([await outcome(acme), await outcome(zoo)], ['created', 'replayed'])
    assert.equal((await store.listPets(firstPage)).pets.length, 3, 'its animals stay')

    assert.equal(await store.deleteAccount(acme.id, newEntry), false)
    assert.equal((await audit(store)).length, 6)
  })

  rule('the ids of a deleted account and of its keys are never used again', async (store, reopen) => {
    const account = await createAccount(store, 'Acme')
    const { key } = await createKey(store, account.id)
    await store.deleteAccount(account.id, entry('account.delete'))
    const reopened = await reopen()
    const next = await createAccount(reopened, 'Acme')
    assert.ok(next.id > account.id)
    assert.ok((await createKey(reopened, next.id)).key.id > key.id)
  })

  rule('the audit entries and the usage of a deleted account are kept', async (store, reopen) => {
    const account = await createAccount(store, 'Acme')
    const { key } = await createKey(store, account.id)
    const usage = usageOf({ accountId: account.id, keyId: key.id, admitted: 3 })
    await store.addUsage([usage])
    await store.deleteAccount(account.id, entry('account.delete', { accountId: account.id }))
    await store.addUsage([usage])
    for await (const kept of nowAndAfterwards(store, reopen)) {
      const [sum, ...others] = await kept.sumUsage({ range: daysFrom(0, 99_999), by: ['account', 'key'] })
      assert.deepEqual([sum?.accountId, sum?.keyId, sum?.admitted, others], [account.id, key.id, 6, []])
      const actions = (await audit(kept, { accountId: account.id })).map(({ action }) => action)
      assert.deepEqual(actions, ['account.delete', 'account.create'])
    }
  })

  const changes: [verb: string, change: (store: Store, id: bigint, expected: AccountVersion) => Promise<unknown>][] = [
    ['renamed', (store, id, expected) => store.renameAccount(id, 'New', entry('account.rename'), expected)],
    ['given a plan', (store, id, expected) => store.setPlan(id, 'pro', LIMITS, entry('account.set-plan'), expected)],
    ['suspended', (store, id, expected) => store.setSuspended(id, NOW, entry('account.suspend'), expected)],
    ['deleted', (store, id, expected) => store.deleteAccount(id, entry('account.delete'), expected)],
  ]
  for (const [verb, change] of changes) {
    rule(`an account is ${verb} only if it is as expected; if not, nothing is written`, async store => {
      const account = await createAccount(store, 'Acme')
      await createKey(store, account.id)
      const before = [await listAccounts(store), await store.listKeys(), await audit(store)]
      const others: Partial<AccountVersion>[] = [
        { name: 'acme' },
        { plan: 'business' },
        { limits: { ...LIMITS, perMinute: 61 } },
        { limits: { ...LIMITS, perDay: 1 } },
        { suspendedAt: NOW },
      ]
      for (const other of others) {
        const changed = change(store, account.id, { ...account, ...other })
        await assert.rejects(changed, { name: 'UserError', kind: 'changed' }, JSON.stringify(other))
      }
      assert.deepEqual([await listAccounts(store), await store.listKeys(), await audit(store)], before)
      assert.ok(!(await change(store, 4_711n, account)), 'an account that does not exist')
      assert.ok(await change(store, account.id, account))
    })
  }

  rule('of ten operators who expect the same account, exactly one can change it', async store => {
    const account = await createAccount(store, 'Acme')
    const renames = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) =>
        store.renameAccount(account.id, `New ${n}`, entry('account.rename'), account),
      ),
    )
    assert.equal(renames.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.equal((await audit(store)).length, 2)
  })

  rule('accounts are listed by a part of their name, in any case, by plan and by state', async store => {
    const acme = await createAccount(store, 'Acme Pets')
    const zoo = await createAccount(store, 'Zoo Zürich')
    const pets = await createAccount(store, 'PETS & more')
    const limits = { perMinute: 300, perDay: 10_000 }
    await store.setPlan(zoo.id, 'pro', limits, entry('account.set-plan'))
    await store.setSuspended(acme.id, NOW, entry('account.suspend'))
    const idsOf = async (query: Partial<AccountQuery>) => (await listAccounts(store, query)).map(({ id }) => id)
    const plan = acme.plan
    assert.notEqual(plan, 'pro')
    for (const [query, expected] of [
      [{ name: 'pets' }, [acme.id, pets.id]],
      [{ name: 'ZÜRICH'.normalize('NFD') }, [zoo.id]],
      [{ name: 'zurich' }, [zoo.id]],
      [{ name: '%' }, []],
      [{ plan: 'pro' }, [zoo.id]],
      [{ plan }, [acme.id, pets.id]],
      [{ state: 'suspended' }, [acme.id]],
      [{ state: 'active' }, [zoo.id, pets.id]],
      [{ plan, state: 'active', name: 'more' }, [pets.id]],
      [{ plan, afterId: acme.id, limit: 5 }, [pets.id]],
      [{ plan, limit: 1 }, [acme.id]],
      [{ plan: 'enterprise' }, []],
    ] as const) {
      assert.deepEqual(
        await idsOf(query),
        expected,
        JSON.stringify(query, (_, value) => String(value)),
      )
    }
  })

  rule('accounts are found regardless of the case and the normal form of their names', async store => {
    const { id } = await createAccount(store, 'Zoë & Straße')
    for (const name of ['Zoë & Straße', 'ZOË & STRASSE', 'zoe\u0308 & strasse']) {
      assert.equal((await store.findAccountByName(name))?.id, id, name)
    }
    for (const name of ['Zoe & Straße', 'Zoë & Straß', 'Zoë & Straße ', '', '\0']) {
      assert.equal(await store.findAccountByName(name), undefined, name)
    }
    await assert.rejects(createAccount(store, 'ZOË & STRASSE'), { message: /^An account named "Zoë & Straße" already/ })
  })

  rule('accounts are listed in three orders, page by page', async store => {
    const names = ['Zoo', 'acme', 'Émile', 'ACME 2', 'bob']
    const ids = new Map<string, bigint>()
    for (const name of names) ids.set(name, (await createAccount(store, name)).id)
    const orders = {
      oldest: names,
      newest: names.toReversed(),
      name: ['acme', 'ACME 2', 'bob', 'Zoo', 'Émile'],
    }
    for (const [sort, expected] of Object.entries(orders) as [AccountOrder, string[]][]) {
      const list = async (query: Partial<AccountQuery>) =>
        (await listAccounts(store, { sort, ...query })).map(({ name }) => name)
      assert.deepEqual(await list({}), expected)
      for (const [index, name] of expected.entries()) {
        const afterId = ids.get(name) as bigint
        assert.deepEqual(await list({ afterId, limit: 2 }), expected.slice(index + 1, index + 3), `${sort} ${name}`)
        assert.deepEqual(
          await list({ afterId, name: 'O' }),
          expected.slice(index + 1).filter(one => /o/i.test(one)),
        )
      }
    }
  })

  rule('accounts are listed with their calls of a day and their banned keys', async store => {
    const [acme, zoo] = [await createAccount(store, 'Acme'), await createAccount(store, 'Zoo')]
    const { key } = await createKey(store, acme.id)
    const banned = (await createKey(store, acme.id)).key
    const term = { source: '192.0.2.7', earnedIn: 'minute', startedAt: NOW, ordinal: 1 } as const
    for (const source of ['192.0.2.7', '192.0.2.8']) {
      await store.createBan(banned.id, { ...term, source, endsAt: NOW + 60_000 })
    }
    await store.createBan(key.id, { ...term, endsAt: NOW })
    const day = dayOf(NOW)
    await store.addUsage([
      usageOf({ accountId: acme.id, keyId: key.id, admitted: 7, refused: 3, banned: 1 }),
      usageOf({ accountId: acme.id, keyId: banned.id, operation: 'getPet', admitted: 2, banned: 5 }),
      usageOf({ accountId: acme.id, keyId: key.id, hour: day * DAY_HOURS + DAY_HOURS - 1, admitted: 10 }),
      usageOf({ accountId: acme.id, keyId: key.id, day: day - 1, admitted: 100, refused: 100 }),
      usageOf({ accountId: acme.id, keyId: key.id, day: day + 1, admitted: 1_000 }),
    ])
    const unused = { usageToday: { admitted: 0, refused: 0, banned: 0 }, bannedKeys: 0 }
    const used = { usageToday: { admitted: 19, refused: 3, banned: 6 }, bannedKeys: 1 }
    const plain = await listAccounts(store)
    for (const sort of ACCOUNT_ORDERS) {
      const listed = await store.listAccounts({ at: NOW, sort })
      const expected = plain.map(account => ({ ...account, ...(account.id === zoo.id ? unused : used) }))
      assert.deepEqual(listed, sort === 'newest' ? expected.toReversed() : expected, sort)
    }
    const [yesterday, tomorrow] = [NOW - DAY_MS, NOW + DAY_MS]
    assert.equal((await store.listAccounts({ at: yesterday }))[0]?.usageToday.refused, 100)
    const [later] = await store.listAccounts({ at: tomorrow, sort: 'usage' })
    assert.deepEqual([later?.usageToday.admitted, later?.bannedKeys], [1_000, 0])
  })

  rule('accounts are ordered by the share of the limit per day, and by refusals, page by page', async store => {
    const calls = { Half: [50, 0], Unused: [0, 0], Full: [100, 4], Most: [200, 9], Refused: [50, 7], Alike: [0, 0] }
    const ids = new Map<string, bigint>()
    for (const [name, [admitted = 0, refused = 0]] of Object.entries(calls)) {
      const { id } = await createAccount(store, name)
      ids.set(name, id)
      const perDay = name === 'Most' ? 1_000 : 100
      await store.setPlan(id, 'enterprise', { perMinute: 100, perDay }, entry('account.set-plan'))
      const banned = name === 'Most' ? refused : 0
      if (admitted > 0)
        await store.addUsage([usageOf({ accountId: id, keyId: id, admitted, refused: refused - banned, banned })])
    }
    const orders = {
      usage: ['Full', 'Refused', 'Half', 'Most', 'Unused', 'Alike'],
      refused: ['Most', 'Refused', 'Full', 'Half', 'Unused', 'Alike'],
    } as const
    for (const [sort, expected] of Object.entries(orders) as [keyof typeof orders, readonly string[]][]) {
      const list = async (query: Partial<AccountQuery>) =>
        (await store.listAccounts({ ...query, at: NOW, sort })).map(({ name }) => name)
      assert.deepEqual(await list({}), expected)
      for (const [index, name] of expected.entries()) {
        const afterId = ids.get(name) as bigint
        assert.deepEqual(await list({ afterId, limit: 2 }), expected.slice(index + 1, index + 3), `${sort} ${name}`)
      }
      assert.deepEqual(await list({ name: 'f', limit: 2 }), expected.filter(one => /f/i.test(one)).slice(0, 2))
    }
  })

  rule('the names of all accounts are listed, page by page', async store => {
    const accounts: Account[] = []
    for (const name of ['Zoo', 'acme', 'Bob']) accounts.push(await createAccount(store, name))
    const names = accounts.map(({ id, name }) => ({ id, name }))
    assert.deepEqual(await store.listAccountNames({ afterId: 0n, limit: 2 }), names.slice(0, 2))
    assert.deepEqual(await store.listAccountNames({ afterId: names[1]?.id ?? 0n, limit: 2 }), names.slice(2))
  })

  rule('accounts are listed page by page', async store => {
    const accounts: Account[] = []
    for (let index = 0; index < 7; index += 1) accounts.push(await createAccount(store, `account ${index}`))
    await store.deleteAccount(3n, entry('account.delete'))
    const left = accounts.filter(({ id }) => id !== 3n)
    for (const afterId of [0n, 1n, 3n, 4n, 7n, INT64_MAX]) {
      for (const limit of [1, 2, 6, 100]) {
        const expected = left.filter(({ id }) => id > afterId).slice(0, limit)
        assert.deepEqual(await listAccounts(store, { afterId, limit }), expected)
      }
    }
  })
}
