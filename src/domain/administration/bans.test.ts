import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminContext } from '../../../test/support/admin-context.ts'
import { openStore } from '../../../test/support/store.ts'
import { createAccount } from './accounts.ts'
import { liftBan, liftBansOfKey, listBans } from './bans.ts'
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
  await assert.rejects(liftBansOfKey(operator, String(laptop.id)), { kind: 'conflict', message: /not banned/ })
  const term = { source: '192.0.2.7', earnedIn: 'minute' as const, startedAt: NOW, ordinal: 1 }
  const ban = async (key: typeof laptop, endsAt: number) => {
    return { ban: await store.createBan(key.id, { ...term, endsAt }), key: { ...key, banEndsAt: endsAt } }
  }
  const first = await ban(laptop, NOW + HOUR_MS)
  const second = await ban(phone, NOW + 2 * HOUR_MS)
  assert.deepEqual(await listBans(store, { inForceAt: NOW + HOUR_MS - 1 }), [second, first])
  assert.deepEqual(await listBans(store, { inForceAt: NOW + HOUR_MS }), [second])

  const lifted = await liftBan(operator, String(first.ban.id))
  assert.deepEqual(lifted, { ban: { ...first.ban, liftedAt: NOW + 5 }, key: first.key })
  assert.deepEqual(await listBans(store, { inForceAt: NOW + 5 }), [second])
  await assert.rejects(liftBan(operator, String(first.ban.id)), { kind: 'conflict', message: /not in force/ })
  const after = { ...operator, now: second.ban.endsAt }
  await assert.rejects(liftBan(after, String(second.ban.id)), { kind: 'conflict', message: /not in force/ })
  for (const id of ['4711', 'x']) await assert.rejects(liftBan(operator, id), { kind: 'not_found' })
  const [newest, ...older] = await store.listAudit({ action: 'ban.lift', limit: 10 })
  assert.deepEqual(newest, {
    id: 4n,
    at: NOW + 5,
    actor: 'ada',
    tokenId: undefined,
    origin: '192.0.2.7',
    action: 'ban.lift',
    subjectId: first.ban.id,
    subjectName: 'laptop',
    accountId: id,
    accountName: 'Acme',
    pet: undefined,
    details: { keyId: Number(laptop.id), name: 'laptop', hint: laptop.hint },
    before: { liftedAt: null },
    after: { liftedAt: '2027-03-01T12:00:00.255Z' },
  })
  assert.deepEqual(older, [])
})

test('all bans of a key can be lifted at once, or the ban for one source', async t => {
  const store = await openStore(t)
  const operator = adminContext(store, NOW)
  await createAccount(operator, { name: 'Acme', plan: 'free', limits: {} })
  const { id } = await issueKey(operator, { account: 'Acme' })
  const other = await issueKey(operator, { account: 'Acme' })
  const ban = (keyId: bigint, source: string) =>
    store.createBan(keyId, { source, earnedIn: 'minute', startedAt: NOW, endsAt: NOW + HOUR_MS, ordinal: 1 })
  const first = await ban(id, '192.0.2.7')
  const second = await ban(id, '2001:db8:1:2::/64')
  const third = await ban(id, '192.0.2.8')
  const others = await ban(other.id, '192.0.2.7')
  const unknown = await ban(other.id, 'unknown')
  const idsOf = (bans: { ban: { id: bigint } }[]) => bans.map(({ ban }) => ban.id)
  const lift = async (source?: string) => idsOf(await liftBansOfKey(operator, String(id), source))
  for (const elsewhere of ['2001:db8:1:3::1', '2001:db8:1:2::/65', '192.0.2.9', 'unknown', '']) {
    await assert.rejects(lift(elsewhere), { kind: 'conflict' }, elsewhere)
  }
  assert.deepEqual(await lift('2001:DB8:1:2:0:0:0:7'), [second.id])
  const again = await ban(id, '2001:db8:1:2::/64')
  assert.deepEqual(await lift('2001:0db8:1:2::/64'), [again.id])
  const last = await ban(id, '2001:db8:1:2::/64')
  assert.deepEqual(await lift('2001:db8:1:2::/64'), [last.id])
  const mapped = await liftBansOfKey(operator, String(other.id), '::FFFF:192.0.2.7')
  assert.deepEqual(idsOf(mapped), [others.id], 'as clients are seen')
  await assert.rejects(lift('2001:db8:1:2::/64'), { kind: 'conflict', message: /is not banned for 2001:db8:1:2::/ })
  assert.deepEqual(await lift(), [third.id, first.id])
  await assert.rejects(lift(), { kind: 'conflict', message: `Key ${id} is not banned.` })
  assert.deepEqual(idsOf(await liftBansOfKey(operator, String(other.id), 'unknown')), [unknown.id])
  assert.deepEqual(await listBans(store, { inForceAt: NOW }), [])
  const entries = await store.listAudit({ action: 'ban.lift', limit: 10 })
  assert.deepEqual(
    entries.map(({ subjectId }) => subjectId),
    [unknown.id, first.id, third.id, others.id, last.id, again.id, second.id],
  )
  assert.ok(!JSON.stringify(entries.map(({ details }) => details)).includes('192.0.2'), 'the audit log has no address')
})

test('a ban of a deleted account is not listed', async t => {
  const store = await openStore(t)
  const operator = adminContext(store, NOW)
  const { id: accountId } = await createAccount(operator, { name: 'Acme', plan: 'free', limits: {} })
  const { id } = await issueKey(operator, { account: 'Acme' })
  await store.createBan(id, {
    source: '192.0.2.7',
    earnedIn: 'minute',
    startedAt: NOW,
    endsAt: NOW + HOUR_MS,
    ordinal: 1,
  })
  const deed = { at: NOW, actor: 'ada', origin: '192.0.2.7', action: 'account.delete', details: {} } as const
  await store.deleteAccount(accountId, deed)
  assert.deepEqual(await listBans(store, { inForceAt: NOW }), [])
})
