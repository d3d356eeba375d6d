import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccount, deleteAccount } from '../../src/domain/administration/accounts.ts'
import { dayOf, formatDay, hourOf } from '../../src/domain/usage.ts'
import { assertUsageError, makeStore, startServe, type TestStore } from '../support/command-line.ts'
import { openDatabase } from '../support/database.ts'
import { until } from '../support/eventually.ts'
import { usageOf } from '../support/usage.ts'

const DAY = 20_454 // 2026-01-01
const JANUARY = ['--from', '2026-01-01', '--to', '2026-01-31']
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what a colour begins with
const COLOUR = /\u001b\[/

test('usage is summed by account, or for one account by day', async t => {
  const store = await makeUsedStore(t)
  const counts = { refused: 0, banned: 0, status2xx: 0, status3xx: 0, status4xx: 0, status5xx: 0 }
  const [byAccount, byDay, ofOther, sums] = await store.jsonEach([
    ['usage', ...JANUARY],
    ['usage', 'acme', ...JANUARY],
    ['usage', '2', ...JANUARY],
    ['usage', '--by', 'operation,key', ...JANUARY],
  ])
  assert.deepEqual(byAccount, [
    {
      accountId: 1,
      account: 'acme',
      ...counts,
      admitted: 1_300,
      refused: 20,
      banned: 1,
      lastAt: '2026-01-03T00:00:00.000Z',
    },
    { accountId: 2, account: null, ...counts, admitted: 7, lastAt: '2026-01-02T00:00:00.000Z' },
  ])
  assert.deepEqual(byDay, [
    { day: '2026-01-01', ...counts, admitted: 1_200, lastAt: '2026-01-01T00:00:00.000Z' },
    { day: '2026-01-03', ...counts, admitted: 100, refused: 20, banned: 1, lastAt: '2026-01-03T00:00:00.000Z' },
  ])
  assert.deepEqual(
    ofOther.map(({ admitted }: { admitted: number }) => admitted),
    [7],
    'also of an account that has been deleted',
  )
  assert.deepEqual(
    sums.map(({ operation, keyId, keyName, admitted }: Record<string, unknown>) => [
      operation,
      keyId,
      keyName,
      admitted,
    ]),
    [
      ['getPet', 1, null, 100],
      ['getPet', 2, null, 7],
      ['listPets', 1, null, 1_200],
    ],
  )
})

test('all calls are printed as CSV, by day or hour, account, key, operation and status', async t => {
  const store = await makeUsedStore(t)
  const [byDay, ofOne] = await store.textEach([
    ['usage', ...JANUARY, '--csv'],
    ['usage', '1', '--key', '1', '--operation', 'getPet', ...JANUARY, '--by', 'hour', '--csv'],
  ])
  const header = '\ufefftime,accountId,account,keyId,keyName,operation,status,calls\n'
  assert.equal(
    byDay,
    `${header}2026-01-01,1,acme,1,,listPets,none,1200
2026-01-02,2,,2,,getPet,none,7
2026-01-03,1,acme,1,,getPet,none,100
2026-01-03,1,acme,1,,getPet,refused,20
2026-01-03,1,acme,1,,getPet,banned,1
`,
  )
  assert.equal(
    ofOne,
    `${header}2026-01-03T00:00:00Z,1,acme,1,,getPet,none,100
2026-01-03T00:00:00Z,1,acme,1,,getPet,refused,20
2026-01-03T00:00:00Z,1,acme,1,,getPet,banned,1
`,
  )
  for (const by of ['key', 'day,hour']) {
    assertUsageError(await store.run('usage', '--csv', '--by', by), /--by must be day or hour/)
  }
  assertUsageError(await store.run('usage', '--csv', '--json'), /--csv.*cannot be used with.*--json/)
})

test('usage covers the last 30 days by default', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const today = dayOf(Date.now())
  const calls = [0, 6, 7, 29, 30].map((ago, index) => usageOf({ day: today - ago, admitted: 10 ** index }))
  await store.act(({ store }) => store.addUsage(calls))
  const options = [
    [],
    ['--days', '7'],
    ['--days', '31'],
    ['--to', formatDay(today - 1)],
    ['--from', formatDay(today - 6)],
  ]
  const lists: { admitted: number }[][] = await store.jsonEach(
    options.map(some => ['usage', 'acme', '--by', 'account', ...some]),
  )
  const results = lists.map(([sum]) => sum?.admitted)
  assert.deepEqual(results, [1_111, 11, 11_111, 11_110, 11])
})

test('one command shows the callers of the deprecated operation', async t => {
  const store = await makeUsedStore(t)
  const text = await store.text('usage', '--operation', 'getPet', ...JANUARY)
  assert.match(text, /^Calls to getPet from 2026-01-01 to 2026-01-31 \(UTC\)\n/)
  assert.match(
    text,
    /\nacme +2026-01-03 +100 +20 +1 .*\n2 \(deleted\) +2026-01-02 +7 +0 +0 .*\nTOTAL +2026-01-03 +107 +20 +1\n/,
  )
})

test('the usage of one account is headed with its name, even if its id was typed, or with the id if it is deleted', async t => {
  const store = await makeUsedStore(t)
  assert.match(await store.text('usage', '1', ...JANUARY), /^Calls by account "acme" from /)
  assert.match(await store.text('usage', ' acme ', ...JANUARY), /^Calls by account "acme" from /)
  assert.match(await store.text('usage', '2', ...JANUARY), /^Calls by account 2 from /)
})

test('an operation without calls looks different from one that does not exist', async t => {
  const store = await makeUsedStore(t)
  assert.equal(
    await store.text('usage', 'acme', '--operation', 'getPets', ...JANUARY),
    'There are no calls to getPets by account "acme" from 2026-01-01 to 2026-01-31 (UTC).\n' +
      'There are calls to getPet, listPets.\n',
  )
  assert.equal(
    await store.text('usage', '--from', '2025-01-01', '--to', '2025-01-01'),
    'There are no calls from 2025-01-01 to 2025-01-01 (UTC).\n',
  )
  assert.deepEqual(await store.json('usage', '--operation', 'getPets', ...JANUARY), [])
})

test('bars fill 80 columns, skip no day, and distinguish admitted, refused and banned calls', async t => {
  const store = await makeUsedStore(t)
  const text = await store.text('usage', 'acme', '--from', '2026-01-01', '--to', '2026-01-04')
  const lines = text.trimEnd().split('\n')
  for (const line of lines) assert.ok(line.length <= 80, line)
  assert.deepEqual(
    lines.slice(2).map(line => line.replaceAll(/ +/g, ' ').replaceAll(/([█▒░])\1*/g, '$1')),
    [
      'DAY ADMITTED REFUSED BANNED',
      '2026-01-01 1,200 0 0 █',
      '2026-01-02 0 0 0',
      '2026-01-03 100 20 1 █▒░',
      '2026-01-04 0 0 0',
      'TOTAL 1,300 20 1',
      '',
      '█ admitted ▒ refused ░ banned',
    ],
  )
  const [longest = 0, shorter = 0] = lines.map(line => line.match(/█+$|█+(?=▒)/)?.[0].length ?? 0).filter(Boolean)
  assert.ok(longest > 35 && Math.abs(shorter / longest - 1 / 12) < 0.03, `${shorter} of ${longest}`)
  assert.doesNotMatch(text, COLOUR)
})

test('the chart of days shows days without calls before the first and after the last, but none that cannot have any', async t => {
  const store = await makeUsedStore(t)
  const today = dayOf(Date.now())
  await store.act(({ store }) => store.addUsage([usageOf({ day: today - 3, admitted: 5 })]))
  const [week = '', future = '', past = ''] = await store.textEach([
    ['usage', 'acme', '--days', '7'],
    ['usage', 'acme', '--from', formatDay(today - 4), '--to', '2999-12-31'],
    ['usage', 'acme', '--from', '1970-01-01', '--to', '2026-01-02'],
  ])
  const daysIn = (text: string) => text.match(/^\d{4}-\d\d-\d\d/gm) ?? []
  const days = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, index) => formatDay(first + index))
  assert.deepEqual(daysIn(week), days(today - 6, today))
  assert.deepEqual(daysIn(future), days(today - 4, today))
  assert.deepEqual(daysIn(past), days(Math.min(DAY, today - 400), DAY + 1), 'usage is kept for 400 days')
})

test('the last 24 hours are shown by default, with the hours without calls', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const hour = hourOf(Date.now())
  await store.act(({ store }) =>
    store.addUsage([
      usageOf({ day: 0, hour: hour - 23, admitted: 4, status2xx: 3, status4xx: 1 }),
      usageOf({ day: 0, hour: hour - 24, admitted: 9 }),
    ]),
  )
  const [byHour = '', byStatus = '', ofKey = '', lastTwo = ''] = await store.textEach([
    ['usage', 'acme', '--by', 'hour'],
    ['usage', '--by', 'hour,status'],
    ['usage', '--key', '1', '--hours', '25', '--by', 'operation'],
    ['usage', '--hours', '2'],
  ])
  // The hour may have ended meanwhile.
  const hours = byHour.match(/^\d{4}-\d\d-\d\dT\d\d:00Z/gm) ?? []
  assert.equal(hours.length, 24)
  assert.match(byHour, /\nTOTAL +[04] /)
  assert.match(byStatus, /^HOUR +STATUS +ADMITTED/m)
  assert.match(byStatus, /Z +2xx +3 +0 +0 .*\n.*Z +4xx +1 /)
  assert.match(ofKey, /^Calls with key 1 by account "acme" from .*:00Z to .*:00Z\n/)
  assert.match(ofKey, /\nlistPets +- +13 /)
  assert.match(lastTwo, /^There are no calls from /)
  const filled = await store.json('usage', '--by', 'hour', '--fill')
  assert.equal(filled.length, 24)
  assert.deepEqual([filled.at(-1).admitted, filled.at(-1).lastAt], [0, null])
})

test('the accounts that call the deprecated operation are listed with the date of its removal', async t => {
  const store = await makeUsedStore(t)
  assert.match(
    await store.text('usage', '--deprecated', ...JANUARY),
    /^getPet is removed on 5 December 2030\.\n1 account made 100 calls to it from 2026-01-01 to 2026-01-31 \(UTC\):\n\nID +ACCOUNT +CALLS +LAST CALL\n1 +acme +100 +2026-01-03T00:00Z\n$/,
  )
  const [{ operation, accounts, callers }] = await store.json('usage', '--deprecated', ...JANUARY)
  assert.deepEqual([operation, accounts, callers.length], ['getPet', 1, 1])
  assert.match(
    await store.text('usage', '--deprecated', '--to', '2025-01-31'),
    /^getPet .*\nNo account called it from /,
  )
})

test('the sums with the most calls are shown first on request, and any number of sums', async t => {
  const store = await makeUsedStore(t)
  const top = await store.text('usage', '--by', 'operation', '--top', '1', ...JANUARY)
  assert.match(top, /\nlistPets +2026-01-01 +1,200 .*\nSHOWN +2026-01-01 +1,200 /)
  const database = openDatabase(store.folder)
  database.exec(`INSERT INTO usage SELECT ${DAY}, 1, n + 9, 'none', 1, 0, 0, 1, 0, 0, 0, 0
    FROM (WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 150000) SELECT n FROM s)`)
  database.close()
  assert.equal((await store.text('usage', '--by', 'key', ...JANUARY)).match(/\n[0-9]+ /g)?.length, 150_002)
})

test('calls of the running service appear', async t => {
  const service = await startServe(t)
  const key = await service.store.issueKey()
  assert.equal(await service.statusOf(key), 200)
  const database = openDatabase(service.store.folder)
  t.after(() => database.close())
  await until(() => database.prepare('SELECT 1 FROM usage').get() !== undefined)
  const [sum] = await service.store.json('usage', 'acme', '--by', 'operation')
  assert.deepEqual([sum.operation, sum.admitted, sum.status2xx], ['listPets', 1, 1])
})

/** Two accounts with calls in January 2026; the second has been deleted. */
async function makeUsedStore(t: Parameters<typeof makeStore>[0]): Promise<TestStore> {
  const store = await makeStore(t)
  await store.issueKey()
  await store.act(async context => {
    await createAccount(context, { name: 'other', plan: 'free', limits: {} })
    await context.store.addUsage([
      usageOf({ day: DAY, admitted: 1_200 }),
      usageOf({ day: DAY + 2, operation: 'getPet', admitted: 100, refused: 20, banned: 1 }),
      usageOf({ day: DAY + 1, operation: 'getPet', accountId: 2n, keyId: 2n, admitted: 7 }),
    ])
    await deleteAccount(context, 'other')
  })
  return store
}
