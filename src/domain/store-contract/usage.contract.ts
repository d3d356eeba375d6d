import assert from 'node:assert/strict'
import { dayOf, type KeyUsage, USAGE_DIMENSIONS, type UsageCounts, type UsageQuery, type UsageSum } from '../usage.ts'
import { createAccount, createKey, entry, NOW, nowAndAfterwards, type Rule } from './fixtures.contract.ts'

const TODAY = dayOf(NOW)
const EVER = { fromDay: 0, toDay: 99_999 }
const NOTHING = { admitted: 0, refused: 0, banned: 0, status2xx: 0, status3xx: 0, status4xx: 0, status5xx: 0 }

/** The usage of one key; by default of `listPets`, today. */
export function usageOf(more: Partial<KeyUsage>): KeyUsage {
  return { day: TODAY, accountId: 1n, keyId: 1n, operation: 'listPets', ...NOTHING, lastAt: NOW, ...more }
}

/** How the service is used. */
export function usageContract(rule: Rule): void {
  rule('usage is added up, also when it is added at once', async (store, reopen) => {
    const counts = { admitted: 1, refused: 2, banned: 3, status2xx: 4, status3xx: 5, status4xx: 6, status5xx: 7 }
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => store.addUsage([usageOf({ ...counts, lastAt: NOW - index })])),
    )
    await store.addUsage([usageOf(counts), usageOf(counts)])
    await store.addUsage([])
    const times12 = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count * 12]))
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await kept.sumUsage({ ...EVER, by: [] }), [{ ...times12, lastAt: NOW }])
    }
  })

  rule('numbers of calls are exact far beyond 32 bits', async store => {
    await store.addUsage([usageOf({ admitted: 2 ** 40 }), usageOf({ admitted: 1 })])
    assert.equal((await store.sumUsage({ ...EVER, by: [] }))[0]?.admitted, 2 ** 40 + 1)
  })

  rule(
    'usage is summed by each dimension and by several, for a range of days, an account, an operation',
    async store => {
      const accounts = [await createAccount(store, 'Acme'), await createAccount(store, 'Zoo')]
      const keys = []
      for (let index = 0; index < 4; index += 1) {
        const name = index < 3 ? `key ${index}` : undefined
        keys.push((await createKey(store, accounts[index % 2]?.id ?? 0n, { name })).key)
      }
      const all: KeyUsage[] = []
      for (let number = 1; number <= 96; number += 1) {
        const key = keys[number % 4]
        all.push(
          usageOf({
            day: TODAY - (number % 6),
            accountId: key?.accountId ?? 0n,
            keyId: key?.id ?? 0n,
            operation: ['listPets', 'getPet', 'none'][number % 3] ?? '',
            admitted: number,
            refused: number % 5,
            status4xx: number % 7,
            lastAt: NOW - number,
          }),
        )
      }
      await store.addUsage(all)
      const names = new Map<string, string>()
      for (const { id, name } of accounts) names.set(`account ${id}`, name)
      for (const { id, name } of keys) if (name) names.set(`key ${id}`, name)
      for (const by of subsetsOf(USAGE_DIMENSIONS)) {
        for (const range of [
          EVER,
          { fromDay: TODAY - 2, toDay: TODAY - 1 },
          { fromDay: TODAY + 1, toDay: TODAY + 9 },
        ]) {
          for (const accountId of [undefined, accounts[1]?.id]) {
            for (const operation of [undefined, 'getPet']) {
              const query: UsageQuery = { ...range, accountId, operation, by }
              assert.deepEqual(await store.sumUsage(query), expectedSums(all, names, query), by.join(' '))
            }
          }
        }
      }
    },
  )

  rule('sums are ordered by the requested dimensions, in their order', async store => {
    await store.addUsage([
      usageOf({ day: TODAY, operation: 'a' }),
      usageOf({ day: TODAY - 1, operation: 'b' }),
      usageOf({ day: TODAY - 1, operation: 'a' }),
    ])
    const order = async (by: UsageQuery['by']) =>
      (await store.sumUsage({ ...EVER, by })).map(({ day, operation }) => `${TODAY - (day ?? 0)}${operation}`)
    assert.deepEqual(await order(['day', 'operation']), ['1a', '1b', '0a'])
    assert.deepEqual(await order(['operation', 'day']), ['1a', '0a', '1b'])
    assert.equal((await store.sumUsage({ ...EVER, by: ['day', 'operation'], limit: 2 })).length, 2)
  })

  rule('the usage of a deleted account is shown without its name and those of its keys', async store => {
    const { id } = await createAccount(store, 'Acme')
    const { key } = await createKey(store, id, { name: 'laptop' })
    await store.addUsage([usageOf({ accountId: id, keyId: key.id, admitted: 5 })])
    const sums = () => store.sumUsage({ ...EVER, by: ['account', 'key'] })
    const counts = { ...NOTHING, admitted: 5, lastAt: NOW }
    assert.deepEqual(await sums(), [
      { accountId: id, accountName: 'Acme', keyId: key.id, keyName: 'laptop', ...counts },
    ])
    await store.deleteAccount(id, entry('account.delete'))
    assert.deepEqual(await sums(), [{ accountId: id, keyId: key.id, ...counts }])
  })

  rule('an account shows how often its keys called the deprecated operation, and when last', async (store, reopen) => {
    const [acme, zoo, none] = [
      await createAccount(store, 'Acme'),
      await createAccount(store, 'Zoo'),
      await createAccount(store, 'None'),
    ]
    const getPet = { operation: 'getPet', admitted: 1 }
    await store.addUsage([
      usageOf({ ...getPet, accountId: acme.id, keyId: 1n, admitted: 3, refused: 9, lastAt: NOW + 2 }),
      usageOf({ ...getPet, accountId: acme.id, keyId: 2n, admitted: 4, lastAt: NOW + 5, day: TODAY - 7 }),
      usageOf({ ...getPet, accountId: zoo.id, keyId: 3n, lastAt: NOW + 1 }),
      usageOf({ accountId: none.id, keyId: 4n, admitted: 8 }),
    ])
    const expected = [
      { ...acme, deprecatedCalls: 7, lastDeprecatedCallAt: NOW + 5 },
      { ...zoo, deprecatedCalls: 1, lastDeprecatedCallAt: NOW + 1 },
      none,
    ]
    for await (const kept of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await kept.listAccounts(), expected)
      assert.deepEqual(await kept.findAccount(acme.id), expected[0])
      assert.deepEqual(await kept.findAccountByName('Zoo'), expected[1])
    }
  })

  rule('any amount of usage of the days before the first one to keep is forgotten', async store => {
    const old = Array.from({ length: 12_000 }, (_, index) =>
      usageOf({ day: TODAY - 1 - (index % 3), keyId: BigInt(index) }),
    )
    await store.addUsage(old)
    await store.addUsage([usageOf({ admitted: 2 })])
    await store.forgetExpired(NOW, TODAY - 3)
    assert.equal((await store.sumUsage({ ...EVER, by: ['key', 'day'] })).length, 12_001, 'the first day is kept')
    await store.forgetExpired(NOW, TODAY)
    const left = await store.sumUsage({ ...EVER, by: ['day'] })
    assert.deepEqual(left, [{ day: TODAY, ...NOTHING, admitted: 2, lastAt: NOW }])
  })
}

/** What the sums must be, by going through all usage. */
function expectedSums(all: readonly KeyUsage[], names: ReadonlyMap<string, string>, query: UsageQuery): UsageSum[] {
  const { fromDay, toDay, accountId, operation, by } = query
  const sums = new Map<string, UsageSum>()
  const wanted = all.filter(
    one =>
      one.day >= fromDay &&
      one.day <= toDay &&
      (accountId === undefined || one.accountId === accountId) &&
      (operation === undefined || one.operation === operation),
  )
  for (const one of wanted) {
    const slot = by.map(dimension => sortable(one, dimension)).join(' ')
    const sum = sums.get(slot) ?? { ...membersOf(one, by, names), ...NOTHING, lastAt: 0 }
    for (const count of Object.keys(NOTHING) as (keyof UsageCounts)[]) sum[count] += one[count]
    sum.lastAt = Math.max(sum.lastAt, one.lastAt)
    sums.set(slot, sum)
  }
  return [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum)
}

function sortable(
  { day, accountId, keyId, operation }: KeyUsage,
  dimension: (typeof USAGE_DIMENSIONS)[number],
): string {
  return { day: String(day), account: String(accountId), key: String(keyId), operation }[dimension]
}

function membersOf(
  { day, accountId, keyId, operation }: KeyUsage,
  by: UsageQuery['by'],
  names: ReadonlyMap<string, string>,
): Partial<UsageSum> {
  const [accountName, keyName] = [names.get(`account ${accountId}`), names.get(`key ${keyId}`)]
  return {
    ...(by.includes('day') && { day }),
    ...(by.includes('account') && { accountId, ...(accountName && { accountName }) }),
    ...(by.includes('key') && { keyId, ...(keyName && { keyName }) }),
    ...(by.includes('operation') && { operation }),
  }
}

function subsetsOf<Item>(items: readonly Item[]): Item[][] {
  const [first, ...others] = items
  if (first === undefined) return [[]]
  return subsetsOf(others).flatMap(subset => [subset, [first, ...subset]])
}
