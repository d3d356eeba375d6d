import assert from 'node:assert/strict'
import type { Store } from '../store.ts'
import {
  DAY_HOURS,
  dayOf,
  daysFrom,
  HOURLY_USAGE_DAYS,
  hourOf,
  type KeyUsage,
  USAGE_DIMENSIONS,
  type UsageCounts,
  type UsageDimension,
  type UsageQuery,
  type UsageRange,
  type UsageSum,
} from '../usage.ts'
import {
  createAccount,
  createKey,
  entry,
  listAccounts,
  NOW,
  nowAndAfterwards,
  partsOf,
  type Rule,
} from './fixtures.contract.ts'

const TODAY = dayOf(NOW)
const EVER = { range: daysFrom(0, 99_999) }
const EVERY_HOUR: { range: UsageRange } = { range: { unit: 'hour', first: 0, last: 99_999 * DAY_HOURS } }
const NOTHING = { admitted: 0, refused: 0, banned: 0, status2xx: 0, status3xx: 0, status4xx: 0, status5xx: 0 }

/** The usage of one key; by default of `listPets`, in the first hour of that day, today. */
export function usageOf({ day = TODAY, ...more }: Partial<KeyUsage> & { day?: number }): KeyUsage {
  const hour = day * DAY_HOURS
  return {
    hour,
    accountId: 1n,
    keyId: 1n,
    operation: 'listPets',
    ...NOTHING,
    lastAt: NOW,
    lastFrom: undefined,
    ...more,
  }
}

/** Usage from versions that only counted by day and key. Account 1 has a key 1, and there is no key 2. */
export const OLD_USAGE = `INSERT INTO usage VALUES
  (${TODAY - 400}, 1, 1, 'getPet', 4, 0, 0, 4, 0, 0, 0, ${NOW - 9}), (${TODAY}, 1, 1, 'listPets', 3, 2, 1, 1, 1, 1, 0, ${NOW}),
  (${TODAY}, 1, 2, 'listPets', 7, 0, 0, 0, 0, 0, 7, ${NOW + 5}), (${TODAY}, 9, 9, 'none', 1, 0, 0, 0, 0, 1, 0, ${NOW - 5})`

/** Asserts that a migrated store returns the usage above. */
export async function assertOldUsage(store: Store): Promise<void> {
  const admitted = async (by: UsageQuery['by'], accountId?: bigint) =>
    (await store.sumUsage({ ...EVER, by, accountId })).map(sum => [
      sum.accountId,
      sum.keyId,
      sum.operation,
      sum.admitted,
    ])
  const [none, byKey] = [undefined, await admitted(['key'])]
  assert.deepEqual(byKey, [
    [none, 1n, none, 7],
    [none, 2n, none, 7],
    [none, 9n, none, 1],
  ])
  assert.deepEqual(await admitted(['account']), [
    [1n, none, none, 14],
    [9n, none, none, 1],
  ])
  assert.deepEqual(await admitted(['operation']), [
    [none, none, 'getPet', 4],
    [none, none, 'listPets', 10],
    [none, none, 'none', 1],
  ])
  assert.deepEqual(await admitted(['operation'], 9n), [[none, none, 'none', 1]])
  const [all] = await store.sumUsage({ ...EVER, by: [] })
  const statuses = { status2xx: 5, status3xx: 1, status4xx: 2, status5xx: 7 }
  assert.deepEqual(all, { admitted: 15, refused: 2, banned: 1, ...statuses, lastAt: NOW + 5 })
  assert.equal((await store.findAccount(1n))?.deprecatedCalls, 4)
  assert.equal((await store.findKey(1n))?.lastUsedAt, NOW)
  await store.addUsage([usageOf({ admitted: 1 })])
  assert.equal((await store.sumUsage({ ...EVER, by: [] }))[0]?.admitted, 16)
}

/** The usage of the service. */
export function usageContract(rule: Rule): void {
  rule('usage is added up, even when it is added concurrently', async (store, reopen) => {
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
    'usage is summed by each dimension and by several, for a range of days or hours, an account, a key, an operation',
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
            hour: (TODAY - (number % 6)) * DAY_HOURS + (number % 7),
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
        for (const range of RANGES) {
          if (by.includes('hour') && range.unit === 'day') continue
          for (const accountId of [undefined, accounts[1]?.id]) {
            for (const keyId of [undefined, keys[3]?.id]) {
              for (const operation of [undefined, 'getPet']) {
                const query: UsageQuery = { range, accountId, keyId, operation, by }
                assert.deepEqual(await store.sumUsage(query), expectedSums(all, names, query), by.join(' '))
              }
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

  rule('the sums with the most calls come first on request, whatever the outcome of the calls', async store => {
    await store.addUsage([
      usageOf({ accountId: 1n, admitted: 3 }),
      usageOf({ accountId: 2n, admitted: 1, refused: 2, banned: 1 }),
      usageOf({ accountId: 3n, admitted: 3 }),
      usageOf({ accountId: 4n, admitted: 2 }),
    ])
    const top = await store.sumUsage({ ...EVER, by: ['account'], mostFirst: true, limit: 3 })
    assert.deepEqual(
      top.map(({ accountId }) => accountId),
      [2n, 1n, 3n],
    )
    assert.equal((await store.sumUsage({ ...EVER, by: [], mostFirst: true }))[0]?.admitted, 9)
  })

  rule('usage by hour is forgotten after five weeks, usage by day is kept', async (store, reopen) => {
    const firstKept = (TODAY - HOURLY_USAGE_DAYS + 1) * DAY_HOURS
    for (const hour of [firstKept - 1, firstKept, hourOf(NOW)]) await store.addUsage([usageOf({ hour, admitted: 1 })])
    await store.deleteExpired(NOW, TODAY - 400)
    const reopened = await reopen()
    const hours = async (...by: ('account' | 'key')[]) =>
      (await reopened.sumUsage({ ...EVERY_HOUR, by: ['hour', ...by] })).map(({ hour }) => hour)
    for (const by of [[], ['account'], ['key']] as const) assert.deepEqual(await hours(...by), [firstKept, hourOf(NOW)])
    assert.equal((await reopened.sumUsage({ ...EVER, by: ['day'] })).length, 3)
    await reopened.deleteExpired(NOW, TODAY)
    assert.deepEqual(await hours(), [hourOf(NOW)], 'no hour is kept for longer than its day')
  })

  rule('sums of several years are the same whatever they are grouped by', async store => {
    const usage = Array.from({ length: 300 }, (_, index) =>
      usageOf({
        hour: (TODAY - index * 7) * DAY_HOURS + (index % DAY_HOURS),
        accountId: BigInt(index % 11),
        keyId: BigInt(index % 23),
        operation: index % 3 === 0 ? 'getPet' : 'listPets',
        admitted: index,
      }),
    )
    for (const part of [usage.slice(0, 100), usage.slice(50), usage.toReversed()]) await store.addUsage(part)
    const expected = [...usage.slice(0, 100), ...usage.slice(50), ...usage].reduce(
      (sum, { admitted }) => sum + admitted,
      0,
    )
    for (const range of [EVER.range, EVERY_HOUR.range]) {
      for (const by of [[], ['operation'], ['account'], ['key'], ['account', 'key', 'operation']] as const) {
        const sums = await store.sumUsage({ range, by })
        assert.equal(
          sums.reduce((sum, { admitted }) => sum + admitted, 0),
          expected,
          by.join(),
        )
      }
    }
  })

  rule('the sums of a day or an hour are read part by part', async store => {
    const usage = Array.from({ length: 40 }, (_, index) =>
      usageOf({
        accountId: BigInt(1 + (index % 3)),
        keyId: BigInt(1 + (index % 7)),
        operation: ['listPets', 'getPet', 'none'][index % 3] ?? '',
        admitted: index,
        day: TODAY + (index % 2),
      }),
    )
    await store.addUsage(usage)
    for (const filter of [{}, { accountId: 2n }, { keyId: 3n }, { operation: 'getPet' }]) {
      for (const range of [
        daysFrom(TODAY, TODAY),
        { unit: 'hour', first: TODAY * DAY_HOURS, last: TODAY * DAY_HOURS },
      ] as const) {
        const query: UsageQuery = { range, ...filter, by: ['account', 'key', 'operation'] }
        const all = await store.sumUsage(query)
        assert.ok(all.length > 2)
        for (const [index, after] of all.entries()) {
          assert.deepEqual(await store.sumUsage({ ...query, after, limit: 2 }), all.slice(index + 1, index + 3))
        }
      }
    }
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
      assert.deepEqual(await listAccounts(kept), expected)
      assert.deepEqual(await kept.findAccount(acme.id), expected[0])
      assert.deepEqual(await kept.findAccountByName('Zoo'), expected[1])
    }
  })

  rule('any amount of usage of the days before the first one to keep is forgotten', async store => {
    const old = Array.from({ length: 12_000 }, (_, index) =>
      usageOf({ day: TODAY - 1 - (index % 3), keyId: BigInt(index) }),
    )
    for (const part of partsOf(old)) await store.addUsage(part)
    await store.addUsage([usageOf({ admitted: 2 })])
    await store.deleteExpired(NOW, TODAY - 3)
    assert.equal((await store.sumUsage({ ...EVER, by: ['key', 'day'] })).length, 12_001, 'the first day is kept')
    await store.deleteExpired(NOW, TODAY)
    const left = await store.sumUsage({ ...EVER, by: ['day'] })
    assert.deepEqual(left, [{ day: TODAY, ...NOTHING, admitted: 2, lastAt: NOW }])
  })
}

const RANGES: readonly UsageRange[] = [
  EVER.range,
  daysFrom(TODAY - 2, TODAY - 1),
  daysFrom(TODAY + 1, TODAY + 9),
  EVERY_HOUR.range,
  { unit: 'hour', first: (TODAY - 2) * DAY_HOURS + 3, last: (TODAY - 1) * DAY_HOURS + 4 },
]

/** The expected sums, computed from all usage. */
function expectedSums(all: readonly KeyUsage[], names: ReadonlyMap<string, string>, query: UsageQuery): UsageSum[] {
  const { range, accountId, keyId, operation, by } = query
  const sums = new Map<string, UsageSum>()
  const wanted = all.filter(one => {
    const period = range.unit === 'day' ? dayOfUsage(one) : one.hour
    return (
      period >= range.first &&
      period <= range.last &&
      (accountId === undefined || one.accountId === accountId) &&
      (keyId === undefined || one.keyId === keyId) &&
      (operation === undefined || one.operation === operation)
    )
  })
  for (const one of wanted) {
    const slot = by.map(dimension => sortable(one, dimension)).join(' ')
    const sum = sums.get(slot) ?? { ...membersOf(one, by, names), ...NOTHING, lastAt: 0 }
    for (const count of Object.keys(NOTHING) as (keyof UsageCounts)[]) sum[count] += one[count]
    sum.lastAt = Math.max(sum.lastAt, one.lastAt)
    sums.set(slot, sum)
  }
  return [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum)
}

function dayOfUsage({ hour }: KeyUsage): number {
  return Math.floor(hour / DAY_HOURS)
}

function sortable(usage: KeyUsage, dimension: UsageDimension): string {
  const { hour, accountId, keyId, operation } = usage
  return {
    day: String(dayOfUsage(usage)),
    hour: String(hour),
    account: String(accountId),
    key: String(keyId),
    operation,
  }[dimension]
}

function membersOf(usage: KeyUsage, by: UsageQuery['by'], names: ReadonlyMap<string, string>): Partial<UsageSum> {
  const { hour, accountId, keyId, operation } = usage
  const [accountName, keyName] = [names.get(`account ${accountId}`), names.get(`key ${keyId}`)]
  return {
    ...(by.includes('day') && { day: dayOfUsage(usage) }),
    ...(by.includes('hour') && { hour }),
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
