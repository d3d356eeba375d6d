import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminContext } from '../../../test/support/admin-context.ts'
import { openStore } from '../../../test/support/store.ts'
import { createAccount, findAccount } from './accounts.ts'
import { findSimilarAccounts } from './similar-accounts.ts'

const NOW = Date.UTC(2027, 2, 1, 12)

test('similar names are found, best first: another spelling, a longer name, then a few typos', async t => {
  const store = await openStore(t)
  const context = adminContext(store, NOW)
  for (const name of ['Zoo Zürich', 'Acme Pets', 'acne', 'Big Acme', 'Corner Shop', 'ácme']) {
    await createAccount(context, { name, plan: 'free', limits: {} })
  }
  const similar = async (typed: string) => (await findSimilarAccounts(store, typed)).map(({ name }) => name)
  assert.deepEqual(await similar('acme'), ['ácme', 'Acme Pets', 'Big Acme'])
  assert.deepEqual(await similar('ACNE'), ['acne', 'ácme'])
  assert.deepEqual(await similar(' zoo zurich '), ['Zoo Zürich'])
  assert.deepEqual(await similar('Conrer Shop'), ['Corner Shop'])
  for (const stranger of ['xylophone', '', ' ', '\u0301', 'acme'.repeat(2_000)])
    assert.deepEqual(await similar(stranger), [], stranger)
  await assert.rejects(findAccount(store, 'Acme Pest'), {
    kind: 'not_found',
    message: 'There is no account "Acme Pest"; did you mean "Acme Pets" (id 2)?',
  })
  await assert.rejects(findAccount(store, '7'), { kind: 'not_found', message: 'There is no account "7".' })
})

test('similar names are found among many, wherever they are', async t => {
  const store = await openStore(t)
  const context = adminContext(store, NOW)
  await createAccount(context, { name: 'Corner Shop', plan: 'free', limits: {} })
  for (let at = 0; at < 2_100; at += 100) {
    const names = Array.from({ length: 100 }, (_, index) => `account ${at + index}`)
    await Promise.all(names.map(name => createAccount(context, { name, plan: 'free', limits: {} })))
  }
  await createAccount(context, { name: 'corner shop 2', plan: 'free', limits: {} })
  const similar = await findSimilarAccounts(store, 'Corner Shp')
  assert.deepEqual(
    similar.map(({ name }) => name),
    ['Corner Shop', 'corner shop 2'],
  )
})
