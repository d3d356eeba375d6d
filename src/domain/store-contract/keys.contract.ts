import assert from 'node:assert/strict'
import type { ApiKey } from '../api-key.ts'
import type { AuditAction, NewAuditEntry } from '../audit.ts'
import { type Ban, MAX_BANS } from '../ban.ts'
import { UserError } from '../errors.ts'
import { INT64_MAX } from '../int64.ts'
import { hashSecret, type SecretState } from '../secret.ts'
import type { KeyQuery } from '../store/accounts.ts'
import type { Store } from '../store.ts'
import { DAY_MS } from '../time.ts'
import { dayOf } from '../usage.ts'
import {
  audit,
  createAccount,
  createKey,
  entry,
  LIMITS,
  NOW,
  newKey,
  nowAndAfterwards,
  type Rule,
} from './fixtures.contract.ts'
import { usageOf } from './usage.contract.ts'

/** The keys and their bans. */
export function keysContract(rule: Rule): void {
  rule('a key is found by its id and listed with its account', async (store, reopen) => {
    const acme = await createAccount(store, 'Acme')
    const other = await createAccount(store, 'Other')
    const networks = ['192.0.2.0/24', '2001:db8::/32']
    const first = await createKey(store, acme.id, { name: 'büro 🐕', scope: 'read', networks, expiresAt: NOW + 10 })
    const second = await createKey(store, other.id)
    const third = await createKey(store, acme.id)
    assert.deepEqual(first.key, {
      id: first.key.id,
      accountId: acme.id,
      accountName: 'Acme',
      name: 'büro 🐕',
      scope: 'read',
      networks: ['192.0.2.0/24', '2001:db8::/32'],
      hint: 'hint',
      createdAt: NOW,
      expiresAt: NOW + 10,
      revokedAt: undefined,
      lastUsedAt: undefined,
      lastUsedFrom: undefined,
      replacedBy: undefined,
      banEndsAt: undefined,
    })
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await kept.listKeys(), [first.key, second.key, third.key])
      assert.deepEqual(await kept.listKeys({ accountId: acme.id }), [first.key, third.key])
      assert.deepEqual(await kept.listKeys({ accountId: 4_711n }), [])
      assert.deepEqual(await kept.findKey(second.key.id), second.key)
      assert.equal(await kept.findKey(4_711n), undefined)
    }
  })

  rule('a caller is found by the hash of its key, even if the key is expired or revoked', async store => {
    const account = await createAccount(store, 'Acme')
    const { key, hash } = await createKey(store, account.id)
    const access = { scope: 'read-write', networks: undefined }
    const caller = { keyId: key.id, accountId: account.id, plan: 'free', limits: LIMITS, ...access }
    const usable = { ...caller, suspendedAt: undefined, expiresAt: undefined, revokedAt: undefined, bans: [] }
    assert.deepEqual(await store.findCaller(hash), usable)
    const successor = await store.replaceKey(key.id, NOW + 5, newKey(account.id), entry('key.rotate'))
    assert.ok(successor)
    assert.deepEqual(await store.findCaller(hash), { ...usable, expiresAt: NOW + 5 })
    assert.equal(await store.revokeKey(key.id, entry('key.revoke', { at: NOW + 3 })), true)
    assert.deepEqual(await store.findCaller(hash), { ...usable, expiresAt: NOW + 5, revokedAt: NOW + 3 })
    const replaced = { ...key, expiresAt: NOW + 5, revokedAt: NOW + 3, replacedBy: successor.id }
    assert.deepEqual(await store.findKey(key.id), replaced)
    assert.deepEqual(await store.findKey(successor.id), { ...successor, expiresAt: undefined, replacedBy: undefined })
    for (const unknown of ['', hashSecret('unknown'), hash.toUpperCase(), `${hash} `]) {
      assert.equal(await store.findCaller(unknown), undefined)
    }
  })

  rule('a caller has the scope and the networks of its key, also after these have changed', async (store, reopen) => {
    const account = await createAccount(store, 'Acme')
    const { key, hash } = await createKey(store, account.id, { scope: 'read', networks: ['192.0.2.0/24'] })
    const accessOf = async (kept: Store) => {
      const { scope, networks } = (await kept.findCaller(hash)) ?? assert.fail('no caller')
      return { scope, networks }
    }
    assert.deepEqual(await accessOf(store), { scope: 'read', networks: ['192.0.2.0/24'] })
    const before = store.revision().callers
    const networks = ['2001:db8::/32', '198.51.100.7/32']
    await store.changeKey(key.id, { scope: 'read-write', networks }, entry('key.change'))
    assert.notEqual(store.revision().callers, before)
    assert.deepEqual(await accessOf(store), { scope: 'read-write', networks })
    await store.changeKey(key.id, { networks: null }, entry('key.change'))
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await accessOf(kept), { scope: 'read-write', networks: undefined })
    }
  })

  rule('a change of a key is recorded with the values that it changes, before and after', async store => {
    const { id: accountId } = await createAccount(store, 'Acme')
    const { key } = await createKey(store, accountId, { name: 'till', expiresAt: NOW + 10 })
    const newEntry = entry('key.change', { at: NOW + 1, accountId })
    const read = await store.changeKey(key.id, { scope: 'read', name: 'till' }, newEntry)
    assert.deepEqual(read, { ...key, scope: 'read' })
    const networks = ['192.0.2.0/24', '2001:db8::/32']
    const bound = await store.changeKey(key.id, { name: null, networks }, newEntry)
    assert.deepEqual(bound, { ...key, scope: 'read', name: undefined, networks })
    assert.deepEqual(await store.findKey(key.id), bound)
    assert.deepEqual(await store.changeKey(key.id, {}, newEntry), bound)
    assert.deepEqual(await store.changeKey(key.id, { scope: 'read', name: null, networks }, newEntry), bound)
    const [second, first, ...older] = await audit(store)
    assert.equal(older.length, 2, 'what changes nothing is not recorded')
    const recorded = { ...newEntry, subjectId: key.id }
    assert.deepEqual(first, { ...recorded, id: 3n, before: { scope: 'read-write' }, after: { scope: 'read' } })
    const before = { name: 'till', networks: null }
    const after = { name: null, networks: '192.0.2.0/24, 2001:db8::/32' }
    assert.deepEqual(second, { ...recorded, id: 4n, before, after })
  })

  rule('a key that is revoked or does not exist cannot be changed', async store => {
    const account = await createAccount(store, 'Acme')
    const { key } = await createKey(store, account.id)
    await store.revokeKey(key.id, entry('key.revoke'))
    for (const id of [key.id, 4_711n]) {
      assert.equal(await store.changeKey(id, { scope: 'read' }, entry('key.change')), undefined)
    }
    assert.deepEqual(await store.findKey(key.id), { ...key, revokedAt: NOW })
    assert.equal((await audit(store)).length, 3)
  })

  rule('a successor has the terms that the old key has at that moment', async store => {
    const account = await createAccount(store, 'Acme')
    const networks = ['192.0.2.0/24']
    const { key } = await createKey(store, account.id, { name: 'till', expiresAt: NOW + 10 })
    const [, successor] = await Promise.all([
      store.changeKey(key.id, { scope: 'read', networks }, entry('key.change')),
      store.replaceKey(key.id, NOW + 5, newKey(account.id), entry('key.rotate')),
    ])
    const { name, scope, networks: bound, expiresAt } = successor ?? assert.fail('no successor')
    // The store decides which of them comes first, and its audit log shows it.
    const wasChanged = (await audit(store))[0]?.action === 'key.rotate'
    const terms = wasChanged ? { scope: 'read', bound: networks } : { scope: 'read-write', bound: undefined }
    assert.deepEqual({ name, scope, bound, expiresAt }, { name: 'till', ...terms, expiresAt: NOW + 10 })
  })

  rule('a caller has the bans of its key, newest first, and they are listed', async (store, reopen) => {
    const account = await createAccount(store, 'Acme')
    const one = await createKey(store, account.id)
    const other = await createKey(store, account.id)
    const term = {
      source: '2001:db8:1:2::/64',
      earnedIn: 'day',
      startedAt: NOW,
      endsAt: NOW + 900_000,
      ordinal: 1,
    } as const
    const first = await store.createBan(one.key.id, term)
    const otherBan = await store.createBan(other.key.id, { ...term, startedAt: NOW + 1, endsAt: NOW + 900_001 })
    const unsourced = { source: undefined, earnedIn: undefined, startedAt: NOW + 2, endsAt: NOW + 3, ordinal: 2 }
    const second = await store.createBan(one.key.id, unsourced)
    assert.deepEqual(second, { id: second.id, keyId: one.key.id, ...unsourced, liftedAt: undefined })
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await kept.listBans(), [second, otherBan, first])
      assert.deepEqual((await kept.findCaller(one.hash))?.bans, [second, first])
      assert.deepEqual((await kept.findCaller(other.hash))?.bans, [otherBan])
    }
  })

  rule('a caller has all bans in force, however many others the key has had', async store => {
    const account = await createAccount(store, 'Acme')
    const { key, hash } = await createKey(store, account.id)
    const ban = (index: number, endsAt: number) =>
      store.createBan(key.id, { source: `192.0.2.${index}`, earnedIn: 'minute', startedAt: NOW, endsAt, ordinal: 1 })
    const current: Ban[] = []
    for (let index = 0; index < MAX_BANS; index += 1) current.unshift(await ban(index, NOW + 10 + index))
    for (let index = 0; index < 2 * MAX_BANS; index += 1) await ban(index, NOW - index)
    const { bans = [] } = (await store.findCaller(hash)) ?? {}
    assert.deepEqual(
      bans.filter(({ endsAt }) => endsAt > NOW),
      current,
    )
    assert.equal(bans.length, 2 * MAX_BANS)
  })

  rule(
    'bans are listed as they are asked for: in force at a time, before another, no more than a limit',
    async store => {
      const account = await createAccount(store, 'Acme')
      const bans: Ban[] = []
      for (let index = 0; index < 4; index += 1) {
        const { key } = await createKey(store, account.id)
        bans.unshift(
          await store.createBan(key.id, {
            source: '192.0.2.7',
            earnedIn: 'minute',
            startedAt: NOW,
            endsAt: NOW + 10 * (index + 1),
            ordinal: 1,
          }),
        )
      }
      const [newest, second, third, oldest] = bans as [Ban, Ban, Ban, Ban]
      assert.deepEqual(await store.listBans({ inForceAt: NOW + 10 }), [newest, second, third])
      assert.deepEqual(await store.listBans({ inForceAt: NOW + 9 }), [newest, second, third, oldest])
      assert.deepEqual(await store.listBans({ inForceAt: NOW + 10, beforeId: newest.id, limit: 1 }), [second])
      const others = await store.createBan(newest.keyId, {
        source: '192.0.2.8',
        earnedIn: 'day',
        startedAt: NOW,
        endsAt: NOW + 11,
        ordinal: 1,
      })
      await store.liftBan(second.id, entry('ban.lift', { at: NOW + 5 }))
      assert.deepEqual(
        await store.listBans({ inForceAt: NOW + 10 }),
        [others, newest, third],
        'each source has its own',
      )
    },
  )

  rule('a ban is found by its id, even if it is over', async store => {
    const account = await createAccount(store, 'Acme')
    const { key } = await createKey(store, account.id)
    const ban = await store.createBan(key.id, {
      source: '192.0.2.7',
      earnedIn: 'minute',
      startedAt: NOW,
      endsAt: NOW + 1,
      ordinal: 1,
    })
    assert.deepEqual(await store.findBan(ban.id), ban)
    assert.equal(await store.findBan(ban.id + 1n), undefined)
  })

  rule('the last ban of a source is its newest that was not earned in an exhausted day', async store => {
    const account = await createAccount(store, 'Acme')
    const { key } = await createKey(store, account.id)
    const other = await createKey(store, account.id)
    const ban = (source: string | undefined, earnedIn: 'minute' | 'day' | undefined) =>
      store.createBan(key.id, { source, earnedIn, startedAt: NOW, endsAt: NOW + 1, ordinal: 1 })
    const last = (source: string) => store.findLastBan(key.id, source)
    assert.equal(await last('192.0.2.7'), undefined)
    const unsourced = await ban(undefined, undefined)
    assert.deepEqual(await last('192.0.2.7'), unsourced)
    await ban('192.0.2.7', 'minute')
    const newest = await ban('192.0.2.7', 'minute')
    await ban('192.0.2.7', 'day')
    assert.deepEqual(await last('192.0.2.7'), newest)
    assert.deepEqual(await last('192.0.2.8'), unsourced)
    assert.equal(await store.findLastBan(other.key.id, '192.0.2.7'), undefined)
  })

  rule(
    'bans that are over are deleted with the usage of their day, a day after their end at the earliest',
    async store => {
      const account = await createAccount(store, 'Acme')
      const { key, hash } = await createKey(store, account.id)
      const day = dayOf(NOW)
      const ban = (endsAt: number) =>
        store.createBan(key.id, {
          source: '192.0.2.7',
          earnedIn: 'minute',
          startedAt: NOW - DAY_MS,
          endsAt,
          ordinal: 1,
        })
      const over = await ban(day * DAY_MS - 1)
      const kept = await ban(day * DAY_MS)
      await store.deleteExpired(NOW + 5 * DAY_MS, day)
      assert.deepEqual(await store.listBans(), [kept])
      assert.equal(await store.findBan(over.id), undefined)
      await store.deleteExpired(kept.endsAt + DAY_MS, day + 5)
      assert.deepEqual((await store.findCaller(hash))?.bans, [kept], 'it may lengthen the next one')
      await store.deleteExpired(kept.endsAt + DAY_MS + 1, day + 5)
      assert.deepEqual((await store.findCaller(hash))?.bans, [])
    },
  )

  rule('a key for an account that has been deleted is refused, without an audit entry', async store => {
    const account = await createAccount(store, 'Acme')
    assert.equal(await store.deleteAccount(account.id, entry('account.delete')), true)
    await assert.rejects(createKey(store, account.id), { name: 'UserError', kind: 'not_found' })
    assert.deepEqual(await store.listKeys(), [])
    assert.deepEqual(
      (await audit(store)).map(({ action }) => action),
      ['account.delete', 'account.create'],
    )
  })

  rule('a key that is created while its account is deleted goes with the account, or is refused', async store => {
    let issued = 0
    for (let round = 0; round < 10; round += 1) {
      const account = await createAccount(store, 'Acme')
      const creation = async () => (await createKey(store, account.id)).key.accountId
      const [before, deleted, after] = await Promise.all([
        creation().catch(kindOf),
        store.deleteAccount(account.id, entry('account.delete')),
        creation().catch(kindOf),
      ])
      assert.equal(deleted, true)
      for (const outcome of [before, after]) {
        if (outcome === account.id) issued += 1
        else assert.equal(outcome, 'not_found')
      }
      assert.deepEqual(await store.listKeys(), [])
      const actions = (await audit(store)).map(({ action }) => action)
      assert.equal(actions[0], 'account.delete', 'no entry about a key of an account that is gone')
      assert.equal(actions.filter(action => action === 'key.issue').length, issued)
    }
  })

  rule('a lifted ban stays listed, with the time it was lifted', async (store, reopen) => {
    const account = await createAccount(store, 'Acme')
    const { key, hash } = await createKey(store, account.id)
    const ban = await store.createBan(key.id, {
      source: '192.0.2.7',
      earnedIn: 'minute',
      startedAt: NOW,
      endsAt: NOW + 900_000,
      ordinal: 1,
    })
    assert.equal(await store.liftBan(ban.id, entry('ban.lift', { at: NOW + 7 })), true)
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await kept.listBans(), [{ ...ban, liftedAt: NOW + 7 }])
      assert.equal((await kept.findCaller(hash))?.bans[0]?.liftedAt, NOW + 7)
    }
  })

  rule('all keys, and those of an account, are listed page by page', async store => {
    const [acme, zoo] = [await createAccount(store, 'Acme'), await createAccount(store, 'Zoo')]
    const keys: ApiKey[] = []
    for (let index = 0; index < 8; index += 1) {
      keys.push((await createKey(store, index % 3 === 0 ? acme.id : zoo.id)).key)
    }
    for (const accountId of [undefined, acme.id, zoo.id, 4_711n]) {
      const own = keys.filter(key => accountId === undefined || key.accountId === accountId)
      for (const afterId of [0n, 1n, 4n, 8n, INT64_MAX]) {
        for (const limit of [1, 3, 100]) {
          const expected = own.filter(({ id }) => id > afterId).slice(0, limit)
          assert.deepEqual(await store.listKeys({ accountId, afterId, limit }), expected)
        }
      }
    }
  })

  rule('keys are listed by their state at a given time', async store => {
    const { id: accountId } = await createAccount(store, 'Acme')
    const endless = (await createKey(store, accountId)).key
    const limited = await store.createKey({ ...newKey(accountId), expiresAt: NOW + 5 }, entry('key.issue'))
    const revoked = await store.createKey({ ...newKey(accountId), expiresAt: NOW + 5 }, entry('key.issue'))
    await store.revokeKey(revoked.id, entry('key.revoke'))
    const idsOf = async (is: SecretState, at: number) =>
      (await store.listKeys({ accountId, state: { is, at } })).map(({ id }) => id)
    for (const [at, active, expired] of [
      [NOW + 4, [endless.id, limited.id], []],
      [NOW + 5, [endless.id], [limited.id]],
    ] as const) {
      assert.deepEqual(await idsOf('active', at), active)
      assert.deepEqual(await idsOf('expired', at), expired)
      assert.deepEqual(await idsOf('revoked', at), [revoked.id])
    }
    const after = await store.listKeys({ state: { is: 'active', at: NOW }, afterId: endless.id, limit: 1 })
    assert.deepEqual(after, [limited])
  })

  rule('the keys with a ban in force are listed, if they are active', async store => {
    const { id: accountId } = await createAccount(store, 'Acme')
    const keys: ApiKey[] = []
    for (let index = 0; index < 5; index += 1) keys.push((await createKey(store, accountId)).key)
    const [banned, over, lifted, revoked, free] = keys as [ApiKey, ApiKey, ApiKey, ApiKey, ApiKey]
    const ban = (key: ApiKey, endsAt: number) =>
      store.createBan(key.id, { source: '192.0.2.7', earnedIn: 'minute', startedAt: NOW, endsAt, ordinal: 1 })
    await ban(banned, NOW + 5)
    await ban(banned, NOW + 9)
    await ban(over, NOW + 2)
    await ban(over, NOW + 1)
    await store.liftBan((await ban(lifted, NOW + 9)).id, entry('ban.lift', { at: NOW + 2 }))
    await ban(revoked, NOW + 9)
    await store.revokeKey(revoked.id, entry('key.revoke'))
    const idsOf = async (at: number) => (await store.listKeys({ state: { is: 'banned', at } })).map(({ id }) => id)
    assert.deepEqual(await idsOf(NOW), [banned.id, over.id])
    assert.deepEqual(await idsOf(NOW + 2), [banned.id])
    assert.deepEqual(await idsOf(NOW + 8), [banned.id])
    assert.deepEqual(await idsOf(NOW + 9), [])
    const ends = (await store.listKeys()).map(({ banEndsAt }) => banEndsAt)
    assert.deepEqual(ends, [NOW + 9, NOW + 2, undefined, NOW + 9, undefined])
    assert.equal((await store.findKey(free.id))?.banEndsAt, undefined)
  })

  rule('keys are searched by a part of the name or by the last characters of the key', async store => {
    const { id: accountId } = await createAccount(store, 'Acme')
    const make = async (name: string | undefined, hint: string) =>
      (await createKey(store, accountId, { name, hint })).key.id
    const till = await make('Kasse Büro', 'abcd')
    const laptop = await make('laptop', 'Abcd')
    const unnamed = await make(undefined, 'null')
    const idsOf = async (search: string) => (await store.listKeys({ search })).map(({ id }) => id)
    for (const [search, expected] of [
      ['buro', [till]],
      ['BÜRO', [till]],
      ['p', [laptop]],
      ['abcd', [till]],
      ['Abcd', [laptop]],
      ['bcd', []],
      ['null', [unnamed]],
      ['NULL', []],
      ['%', []],
      ['\0', []],
    ] as const) {
      assert.deepEqual(await idsOf(search), expected, search)
    }
  })

  rule('keys are listed by their last call and by their expiry', async store => {
    const { id: accountId } = await createAccount(store, 'Acme')
    const make = async (expiresAt?: number) => (await createKey(store, accountId, { expiresAt })).key.id
    const [busy, idle, unused, endless] = [await make(NOW + 5), await make(NOW + 9), await make(NOW + 5), await make()]
    await store.addUsage([
      usageOf({ accountId, keyId: busy, lastAt: NOW + 100 }),
      usageOf({ accountId, keyId: idle, lastAt: NOW + 50 }),
      usageOf({ accountId, keyId: endless, lastAt: NOW + 99 }),
    ])
    const idsOf = async (query: KeyQuery) => (await store.listKeys(query)).map(({ id }) => id)
    for (const [query, expected] of [
      [{ unusedSince: NOW + 100 }, [idle, unused, endless]],
      [{ unusedSince: NOW + 51 }, [idle, unused]],
      [{ unusedSince: NOW + 50 }, [unused]],
      [{ unusedSince: NOW }, []],
      [{ used: false }, [unused]],
      [{ used: true }, [busy, idle, endless]],
      [{ expiresBefore: NOW + 6 }, [busy, unused]],
      [{ expiresBefore: NOW + 5 }, []],
      [{ expiresBefore: NOW + 99, used: true, afterId: busy, limit: 1 }, [idle]],
      [{ unusedSince: NOW + 100, state: { is: 'active', at: NOW + 6 } }, [idle, endless]],
    ] as const) {
      assert.deepEqual(
        await idsOf(query),
        expected,
        JSON.stringify(query, (_, value) => String(value)),
      )
    }
  })

  rule('the bans of one account are listed', async store => {
    const [acme, zoo] = [await createAccount(store, 'Acme'), await createAccount(store, 'Zoo')]
    const term = { source: '192.0.2.7', earnedIn: 'minute' as const, startedAt: NOW, endsAt: NOW + 900_000, ordinal: 1 }
    const own = await store.createBan((await createKey(store, acme.id)).key.id, term)
    const others = await store.createBan((await createKey(store, zoo.id)).key.id, term)
    assert.deepEqual(await store.listBans({ accountId: acme.id, inForceAt: NOW }), [own])
    assert.deepEqual(await store.listBans({ accountId: zoo.id }), [others])
    assert.deepEqual(await store.listBans({ accountId: 4_711n }), [])
  })

  rule('every ban of a key or an account is listed, whether it is over or lifted, page by page', async store => {
    const [acme, zoo] = [await createAccount(store, 'Acme'), await createAccount(store, 'Zoo')]
    const [first, second, others] = [
      (await createKey(store, acme.id)).key,
      (await createKey(store, acme.id)).key,
      (await createKey(store, zoo.id)).key,
    ]
    const bans: Ban[] = []
    for (const [index, { id }] of [first, first, second, others, first].entries()) {
      bans.unshift(
        await store.createBan(id, {
          source: '192.0.2.7',
          earnedIn: 'minute',
          startedAt: NOW + index,
          endsAt: NOW + index + 1,
          ordinal: index + 1,
        }),
      )
    }
    const [newest] = bans
    assert.ok(newest)
    await store.liftBan(newest.id, entry('ban.lift', { at: NOW + 7 }))
    const all = [{ ...newest, liftedAt: NOW + 7 }, ...bans.slice(1)]
    const ofFirst = all.filter(({ keyId }) => keyId === first.id)
    assert.deepEqual(await store.listBans({ limit: 10 }), all)
    assert.deepEqual(await store.listBans({ keyId: first.id, limit: 10 }), ofFirst)
    assert.deepEqual(await store.listBans({ keyId: 4_711n, limit: 10 }), [])
    const ofAcme = all.filter(({ keyId }) => keyId !== others.id)
    assert.deepEqual(await store.listBans({ accountId: acme.id, limit: 10 }), ofAcme)
    assert.deepEqual(
      await store.listBans({ keyId: first.id, inForceAt: NOW }),
      ofFirst.slice(1),
      'a lifted ban is over',
    )
    const page = { keyId: first.id, beforeId: newest.id, limit: 1 }
    assert.deepEqual(await store.listBans(page), ofFirst.slice(1, 2))
  })

  const once: [
    verb: string,
    action: AuditAction,
    (store: Store, id: bigint, entry: NewAuditEntry) => Promise<unknown>,
  ][] = [
    ['rotate', 'key.rotate', (store, id, entry) => store.replaceKey(id, NOW + 5, newKey(1n), entry)],
    ['revoke', 'key.revoke', (store, id, entry) => store.revokeKey(id, entry)],
  ]
  for (const [verb, action, change] of once) {
    rule(`when ten operators ${verb} a key at once, exactly one succeeds, with one audit entry`, async store => {
      const { id: accountId } = await createAccount(store, 'Acme')
      const { key } = await createKey(store, accountId)
      const newEntry = entry(action, { accountId, details: { hint: 'hint' } })
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => change(store, key.id, newEntry)))
      assert.equal(outcomes.filter(Boolean).length, 1)
      const successors = (await store.listKeys()).slice(1)
      const values = successors[0] && {
        before: { expiresAt: null, replacedBy: null },
        after: { replacedBy: Number(successors[0].id) },
      }
      assert.equal(successors.length, action === 'key.rotate' ? 1 : 0)
      const [newest, ...older] = await audit(store)
      assert.deepEqual(newest, { ...newEntry, id: 3n, subjectId: key.id, ...values })
      assert.equal(older.length, 2)
      assert.ok(!(await change(store, 4_711n, newEntry)), 'a key that is not there')
      assert.ok(!(await change(store, key.id, newEntry)), 'nor later')
      assert.equal((await audit(store)).length, 3)
    })
  }

  rule('when ten operators lift a ban at once, exactly one succeeds, with one audit entry', async store => {
    const { id: accountId } = await createAccount(store, 'Acme')
    const { key } = await createKey(store, accountId)
    const ban = await store.createBan(key.id, {
      source: '192.0.2.7',
      earnedIn: 'minute',
      startedAt: NOW,
      endsAt: NOW + 900_000,
      ordinal: 1,
    })
    const newEntry = entry('ban.lift', { accountId, at: NOW + 7 })
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => store.liftBan(ban.id, newEntry)))
    assert.equal(outcomes.filter(Boolean).length, 1)
    assert.deepEqual((await audit(store))[0], { ...newEntry, id: 3n, subjectId: ban.id })
    assert.equal(await store.liftBan(4_711n, newEntry), false)
    assert.equal((await audit(store)).length, 3)
  })

  rule('a revoked key gets no successor', async store => {
    const { id } = await createAccount(store, 'Acme')
    const { key } = await createKey(store, id)
    await store.revokeKey(key.id, entry('key.revoke'))
    assert.equal(await store.replaceKey(key.id, NOW + 5, newKey(id), entry('key.rotate')), undefined)
    assert.deepEqual(await store.listKeys(), [{ ...key, revokedAt: NOW }])
  })

  rule('a key shows its last call, whatever the answer was', async (store, reopen) => {
    const { id: accountId } = await createAccount(store, 'Acme')
    const [one, other] = [(await createKey(store, accountId)).key, (await createKey(store, accountId)).key]
    const call = { accountId, keyId: one.id }
    await store.addUsage([usageOf({ ...call, refused: 1, lastAt: NOW + 9 }), usageOf({ ...call, lastAt: NOW + 3 })])
    await store.addUsage([usageOf({ ...call, operation: 'getPet', lastAt: NOW + 5 })])
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await kept.listKeys(), [{ ...one, lastUsedAt: NOW + 9 }, other])
      assert.equal((await kept.findKey(one.id))?.lastUsedAt, NOW + 9)
    }
  })

  rule('a key shows where its last call came from, for as long as usage is kept', async (store, reopen) => {
    const { id: accountId } = await createAccount(store, 'Acme')
    const [one, other] = [(await createKey(store, accountId)).key, (await createKey(store, accountId)).key]
    const call = (lastAt: number, lastFrom: string | undefined, operation = 'listPets') =>
      usageOf({ accountId, keyId: one.id, lastAt, lastFrom, operation })
    await store.addUsage([call(NOW + 3, '192.0.2.3'), call(NOW + 9, '192.0.2.9'), call(NOW + 5, '192.0.2.5')])
    await store.addUsage([call(NOW + 7, '192.0.2.7', 'getPet'), call(NOW + 8, undefined, 'none')])
    await store.addUsage([call(NOW + 6, '192.0.2.6')])
    const origins = async (at: Store) => (await at.listKeys()).map(({ lastUsedFrom }) => lastUsedFrom)
    for (const isFolded of [false, true]) {
      if (isFolded) await store.foldUsage({ all: true })
      assert.deepEqual(await origins(store), ['192.0.2.9', undefined])
      assert.equal((await store.findKey(one.id))?.lastUsedFrom, '192.0.2.9')
      await store.deleteExpired(NOW, dayOf(NOW))
    }
    await store.addUsage([call(NOW + 10, '2001:db8:1:2::/64')])
    await store.foldUsage({ all: true })
    assert.deepEqual(await origins(store), ['2001:db8:1:2::/64', undefined])
    await store.deleteExpired(NOW, dayOf(NOW) + 1)
    assert.deepEqual(await origins(store), [undefined, undefined])
    assert.equal((await store.findKey(one.id))?.lastUsedAt, NOW + 10)
    await store.addUsage([call(NOW + 11, '192.0.2.1')])
    const kept = await reopen()
    assert.deepEqual(await origins(kept), ['192.0.2.1', undefined])
    await kept.deleteAccount(accountId, entry('account.delete'))
    assert.equal(await kept.findKey(other.id), undefined)
  })
}

/** The code of a user error; any other error is rethrown. */
function kindOf(error: unknown): UserError['kind'] {
  if (error instanceof UserError) return error.kind
  throw error
}
