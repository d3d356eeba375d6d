import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminContext } from '../../../test/support/admin-context.ts'
import { openStore } from '../../../test/support/store.ts'
import { createAccount } from './accounts.ts'
import { liftBan, listBans } from './bans.ts'
import { issueKey } from './keys.ts'

const NOW = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const HOUR_MS = 3_600_000

test('the bans in force are listed with their keys, newest first, and can be lifted once', async t => {
  const store = await openStore(t)
  const operator = adminContext(store, NOW + 5)
  const { id } = await createAccount(operator, { name: 'Acme', plan: 'free', limits: {} })
  const keys = []
  for (const name of ['laptop', 'phone']) {
    const { key: _, ...kept } = await issueKey(operator, { account: 'Acme', name })
    keys.push(kept)
  }
  const [laptop, phone] = keys
  assert.ok(laptop && phone)
  await assert.rejects(liftBan(operator, String(laptop.id)), { kind: 'conflict', message: /not banned/ })
  const term = { startedAt: NOW, ordinal: 1 }
  const ban = async (key: typeof laptop, endsAt: number) => {
    return { ban: await store.createBan(key.id, { ...term, endsAt }), key: { ...key, banEndsAt: endsAt } }
  }
  const first = await ban(laptop, NOW + HOUR_MS)
  const second = await ban(phone, NOW + 2 * HOUR_MS)
  assert.deepEqual(await listBans(store, NOW + HOUR_MS - 1), [second, first])
  assert.deepEqual(await listBans(store, NOW + HOUR_MS), [second])

  assert.deepEqual(await liftBan(operator, String(laptop.id)), {
    ban: { ...first.ban, liftedAt: NOW + 5 },
    key: { ...laptop, banEndsAt: NOW + 5 },
  })
  assert.deepEqual(await listBans(store, NOW + 5), [second])
  await assert.rejects(liftBan(operator, String(laptop.id)), { kind: 'conflict', message: /not banned/ })
  await assert.rejects(liftBan(operator, '4711'), { kind: 'not_found' })
  const [newest, ...older] = await store.listAudit({ action: 'ban.lift', limit: 10 })
  assert.deepEqual(newest, {
    id: 4n,
    at: NOW + 5,
    actor: 'ada',
    tokenId: undefined,
    origin: '192.0.2.7',
    action: 'ban.lift',
    subjectId: first.ban.id,
    accountId: id,
    details: { keyId: Number(laptop.id), name: 'laptop', hint: laptop.hint },
    before: { liftedAt: null },
    after: { liftedAt: '2027-03-01T12:00:00.255Z' },
  })
  assert.deepEqual(older, [])
})

test('a ban of a deleted account is not listed', async t => {
  const store = await openStore(t)
  const operator = adminContext(store, NOW)
  const { id: accountId } = await createAccount(operator, { name: 'Acme', plan: 'free', limits: {} })
  const { id } = await issueKey(operator, { account: 'Acme' })
  await store.createBan(id, { startedAt: NOW, endsAt: NOW + HOUR_MS, ordinal: 1 })
  const deed = { at: NOW, actor: 'ada', origin: '192.0.2.7', action: 'account.delete', details: {} } as const
  await store.deleteAccount(accountId, deed)
  assert.deepEqual(await listBans(store, NOW), [])
})
