import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminContext } from '../../../test/support/admin-context.ts'
import { openStore } from '../../../test/support/store.ts'
import { UserError } from '../errors.ts'
import {
  createAccount,
  deleteAccount,
  findAccount,
  renameAccount,
  resumeAccount,
  setPlan,
  suspendAccount,
} from './accounts.ts'
import { issueKey } from './keys.ts'

const NOW = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const ACME = { name: 'Acme', plan: 'free', limits: {} }

const NO_MORE = { tokenId: undefined, before: undefined, after: undefined, accountName: undefined, pet: undefined }

test('an account is created with the limits of its plan, and found by its id and its name', async t => {
  const store = await openStore(t)
  const acme = await createAccount(adminContext(store, NOW), { name: ' Acme ', plan: 'pro', limits: {} })
  assert.deepEqual([acme.name, acme.limits], ['Acme', { perMinute: 300, perDay: 10_000 }])
  assert.equal(acme.createdAt, NOW)
  for (const nameOrId of [String(acme.id), 'Acme', ' Acme ', 'ACME'])
    assert.deepEqual(await findAccount(store, nameOrId), acme)
  for (const nobody of ['Ácme', '2', '', '0x1', '99999999999999999999']) {
    await assert.rejects(findAccount(store, nobody), { name: 'UserError', kind: 'not_found' }, nobody)
  }
})

test('an account with a name that was allowed before is found by it, and can be changed', async t => {
  const store = await openStore(t)
  const operator = adminContext(store, NOW)
  const entry = { at: NOW, actor: 'ada', origin: '', action: 'account.create', details: {} } as const
  for (const name of ['Zoe\u0308', 'a\u202eb', '\u3164']) {
    const { id } = await store.createAccount({ name, plan: 'free', limits: { perMinute: 60, perDay: 1_000 } }, entry)
    assert.equal((await setPlan(operator, { account: name, plan: 'pro', limits: {} })).id, id)
    assert.equal((await renameAccount(operator, { account: name, name: `Zoo ${id}` })).name, `Zoo ${id}`)
  }
})

test('an account is found by its name in any normal form, and the name is unique across normal forms', async t => {
  const store = await openStore(t)
  const { id } = await createAccount(adminContext(store, NOW), { ...ACME, name: 'Zoe\u0308' })
  for (const name of ['Zoe\u0308', 'Zo\u00eb']) {
    assert.equal((await findAccount(store, name)).id, id)
    await assert.rejects(createAccount(adminContext(store, NOW), { ...ACME, name }), { kind: 'conflict' })
  }
})

test('an invalid account is an error, and is not created', async t => {
  const store = await openStore(t)
  const invalid = [
    { name: '', plan: 'free', limits: {} },
    { name: '42', plan: 'free', limits: {} },
    { name: '-42', plan: 'free', limits: {} },
    { name: 'Acme', plan: 'gold', limits: {} },
    { name: 'Acme', plan: 'free', limits: { perMinute: 5 } },
    { name: 'Acme', plan: 'enterprise', limits: { perMinute: 5 } },
  ]
  for (const given of invalid) {
    await assert.rejects(createAccount(adminContext(store, NOW), given), { kind: 'invalid' }, JSON.stringify(given))
  }
  assert.deepEqual(await store.listAccounts({ at: NOW }), [])
  assert.deepEqual(await store.listAudit({ limit: 10 }), [])
})

test('a plan can be changed to enterprise and back', async t => {
  const store = await openStore(t)
  const operator = adminContext(store, NOW)
  await createAccount(operator, ACME)
  const limits = { perMinute: 7, perDay: 9 }
  assert.deepEqual((await setPlan(operator, { account: 'Acme', plan: 'enterprise', limits })).limits, limits)
  await assert.rejects(setPlan(operator, { account: 'Acme', plan: 'enterprise', limits: {} }), UserError)
  const free = await setPlan(operator, { account: 'Acme', plan: 'free', limits: {} })
  assert.deepEqual([free.plan, free.limits], ['free', { perMinute: 60, perDay: 1_000 }])
})

test('an account can be renamed to a name that is free', async t => {
  const store = await openStore(t)
  const operator = adminContext(store, NOW)
  const { id } = await createAccount(operator, ACME)
  await createAccount(operator, { ...ACME, name: 'Zoo' })
  const rename = (name: string, account = 'Acme') => renameAccount(operator, { account, name })
  await assert.rejects(rename('Zoo'), { kind: 'conflict', message: /Zoo/ })
  await assert.rejects(rename('7'), { kind: 'invalid' })
  await assert.rejects(rename('Other', 'nobody'), { kind: 'not_found' })
  assert.deepEqual(await rename(' Ácme '), { ...(await findAccount(store, String(id))), name: 'Ácme' })
})

test('an account is suspended until it is resumed, once each', async t => {
  const store = await openStore(t)
  const operator = adminContext(store, NOW)
  await createAccount(operator, ACME)
  await assert.rejects(resumeAccount(operator, 'Acme'), { kind: 'conflict', message: /is not suspended/ })
  assert.equal((await suspendAccount(operator, 'Acme')).suspendedAt, NOW)
  await assert.rejects(suspendAccount(operator, 'Acme'), { kind: 'conflict', message: /is already suspended/ })
  assert.equal((await resumeAccount(operator, 'Acme')).suspendedAt, undefined)
  for (const change of [suspendAccount, resumeAccount]) {
    await assert.rejects(change(operator, 'nobody'), { kind: 'not_found' })
  }
})

test('an account is changed or deleted only if it still is as the operator read it', async t => {
  const store = await openStore(t)
  const operator = adminContext(store, NOW)
  const expected = await createAccount(operator, ACME)
  const account = await renameAccount(operator, { account: 'Acme', name: 'Zoo' })
  for (const change of [
    () => renameAccount(operator, { account: 'Zoo', name: 'Ark', expected }),
    () => setPlan(operator, { account: 'Zoo', plan: 'free', limits: {}, expected }),
    () => suspendAccount(operator, 'Zoo', { expected }),
    () => resumeAccount(operator, 'Zoo', { expected }),
    () => deleteAccount(operator, 'Zoo', { expected }),
  ]) {
    await assert.rejects(change, { kind: 'changed' }, String(change))
  }
  assert.deepEqual(await findAccount(store, 'Zoo'), account)
})

test('a deleted account is returned once more, and is gone', async t => {
  const store = await openStore(t)
  const operator = adminContext(store, NOW)
  const acme = await createAccount(operator, ACME)
  await issueKey(operator, { account: 'Acme' })
  assert.deepEqual(await deleteAccount(operator, 'Acme'), acme)
  await assert.rejects(deleteAccount(operator, 'Acme'), { kind: 'not_found' })
  assert.deepEqual(await store.listKeys(), [])
})

test('if two operators delete an account at once, one of them gets not_found', async t => {
  const store = await openStore(t)
  await createAccount(adminContext(store, NOW), ACME)
  const outcomes = await Promise.allSettled([1, 2].map(() => deleteAccount(adminContext(store, NOW), 'Acme')))
  assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  const [failed] = outcomes.filter(outcome => outcome.status === 'rejected')
  assert.equal(failed?.reason.kind, 'not_found')
})

test('of changes at once, each returns the account as it left it, and a deletion is reported as such', async t => {
  const store = await openStore(t)
  const operator = adminContext(store, NOW)
  const change = (plan: string) => setPlan(operator, { account: 'Acme', plan, limits: {} })
  await createAccount(operator, ACME)
  const plans = await Promise.all([change('pro'), change('business')])
  assert.deepEqual(
    plans.map(({ plan }) => plan),
    ['pro', 'business'],
  )
  const [suspended, resumed] = await Promise.all([suspendAccount(operator, 'Acme'), resumeAccount(operator, 'Acme')])
  assert.deepEqual([suspended.suspendedAt, resumed.suspendedAt], [NOW, undefined])
  const renamed = renameAccount(operator, { account: 'Acme', name: 'Zoo' })
  const deleted = deleteAccount(operator, 'Acme')
  const late = suspendAccount(operator, 'Acme')
  assert.equal((await renamed).name, 'Zoo')
  await deleted
  await assert.rejects(late, { kind: 'not_found' })
})

test('the audit log says who did what to an account, from where and when, and what it was before', async t => {
  const store = await openStore(t)
  const at = (minutes: number) => adminContext(store, NOW + minutes * 60_000)
  const limits = { perMinute: 7, perDay: 9 }
  const { id } = await createAccount(at(0), ACME)
  await setPlan(at(1), { account: 'Acme', plan: 'enterprise', limits })
  await setPlan(at(2), { account: 'Acme', plan: 'pro', limits: {} })
  await renameAccount(at(3), { account: 'Acme', name: 'Zoo' })
  await suspendAccount(at(4), 'Zoo')
  await resumeAccount(at(5), 'Zoo')
  await deleteAccount(at(6), 'Zoo')
  const entries = (await store.listAudit({ limit: 10 })).toReversed()
  const free = { plan: 'free', perMinute: 60, perDay: 1_000 }
  const own = { plan: 'enterprise', ...limits }
  const pro = { plan: 'pro', perMinute: 300, perDay: 10_000 }
  const suspendedAt = '2027-03-01T12:04:00.250Z'
  // The account is gone. Its name is known as far as an entry has it.
  const names = ['Acme', undefined, undefined, 'Zoo', 'Zoo', 'Zoo', 'Zoo']
  const expected = [
    { action: 'account.create', after: { name: 'Acme', ...free } },
    { action: 'account.set-plan', before: free, after: own },
    { action: 'account.set-plan', before: own, after: pro },
    { action: 'account.rename', before: { name: 'Acme' }, after: { name: 'Zoo' } },
    { action: 'account.suspend', before: { suspendedAt: null }, after: { suspendedAt }, details: { name: 'Zoo' } },
    { action: 'account.resume', before: { suspendedAt }, after: { suspendedAt: null }, details: { name: 'Zoo' } },
    { action: 'account.delete', before: { name: 'Zoo', ...pro, suspendedAt: null } },
  ].map((entry, index) => {
    const who = { actor: 'ada', origin: '192.0.2.7', accountId: id, subjectId: id, subjectName: names[index] }
    const facts = { details: {}, ...NO_MORE }
    return { id: BigInt(index + 1), at: NOW + index * 60_000, ...who, ...facts, ...entry }
  })
  assert.deepEqual(entries, expected)
})
