import assert from 'node:assert/strict'
import type { Store } from '../store.ts'
import { createAccount, entry, LIMITS, listAccounts } from './fixtures.contract.ts'

/** Accounts from versions with case-sensitive names, as `name, plan, per_minute, per_day, created_at`. */
export const OLD_ACCOUNTS = ['Acme', 'acme', 'Zoo', 'ACME']
  .map((name, index) => `('${name}', 'free', ${LIMITS.perMinute}, ${LIMITS.perDay}, ${index + 1})`)
  .join(', ')

/** Old names that only differ in case stay and can be changed, but no new account gets such a name. */
export async function checkOldNames(store: Store): Promise<void> {
  const idOf = async (name: string) => (await store.findAccountByName(name))?.id
  const rename = (id: bigint, name: string) => store.renameAccount(id, name, entry('account.rename'))
  const remove = (id: bigint) => store.deleteAccount(id, entry('account.delete'))
  const taken = { name: 'UserError', kind: 'conflict' }
  assert.deepEqual([await idOf('Acme'), await idOf('acme'), await idOf('ACME')], [1n, 2n, 4n])
  assert.equal(await idOf('aCme'), undefined, 'it is not clear which one is meant')
  assert.equal(await idOf('ZOO'), 3n)
  assert.deepEqual(await namesByName(store), ['Acme', 'acme', 'ACME', 'Zoo'])

  assert.ok(await rename(2n, 'acme'), 'it may keep its name')
  for (const name of ['aCme', 'Acme']) await assert.rejects(rename(2n, name), taken)
  assert.ok(await remove(1n))
  await assert.rejects(createAccount(store, 'Acme'), taken, 'others still have it')
  assert.ok(await rename(2n, 'Other'))
  await assert.rejects(rename(3n, 'Acme'), taken)
  assert.equal(await idOf('aCme'), 4n, 'the only one that is left')
  assert.ok(await rename(4n, 'Acme'))
  assert.equal(await idOf('aCme'), 4n)
  assert.ok(await remove(4n))
  assert.equal((await createAccount(store, 'aCme')).name, 'aCme')
  assert.deepEqual(await namesByName(store), ['aCme', 'Other', 'Zoo'])
}

async function namesByName(store: Store): Promise<string[]> {
  return (await listAccounts(store, { sort: 'name' })).map(({ name }) => name)
}
