import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createAccount } from '../../src/domain/administration/accounts.ts'
import { issueKey } from '../../src/domain/administration/keys.ts'
import { createToken } from '../../src/domain/administration/tokens.ts'
import { dayOf, daysFrom } from '../../src/domain/usage.ts'
import { call as callPublic } from '../support/call.ts'
import { makeStore, startServe } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import { type AdminAnswer, type AdminItem, assertRefused, startOperatorService } from '../support/operator.ts'
import { createPet, petJson } from '../support/pets.ts'
import { usageOf } from '../support/usage.ts'

// Usage: every call of the public API with a key is counted, and summed up on request.

const DAY_MS = 86_400_000
/** Usage is saved every few seconds. */
const LOOK_EVERY_MS = 200

/** A busy day and the next, over and saved: three keys of two accounts did what there is to do. */
async function startHistory() {
  const ban = { after: 10, withinSeconds: 600, forSeconds: 900, maxSeconds: 86_400 }
  const first = await startOperatorService({ after }, { config: { ban } })
  const bakery = await first.createCaller({ keyName: 'till', limits: { perMinute: 12 } })
  const second = await first.issueKey(bakery.account, { name: 'web' })
  const shelter = await first.createCaller()
  const day = new Date(first.clock.now).toISOString().slice(0, 10)

  const pet = await createPet(first, bakery.key)
  const list = await callPublic(first, { path: '/v1/pets', key: bakery.key })
  const unchanged = { 'If-None-Match': list.header('etag') ?? '' }
  for (let n = 0; n < 3; n += 1) await callPublic(first, { path: '/v1/pets', key: bakery.key, headers: unchanged })
  await callPublic(first, { path: '/v1/pets?limit=0', key: bakery.key })
  await callPublic(first, { path: `/v1/pets/${pet.json.id}`, key: bakery.key })
  await callPublic(first, { path: '/v1/pets/999', key: bakery.key })
  await callPublic(first, { path: '/v1/nothing', key: bakery.key })
  await callPublic(first, { method: 'DELETE', path: '/v1/pets', key: bakery.key })
  await callPublic(first, { method: 'HEAD', path: '/v1/pets', key: second.key })
  await callPublic(first, { method: 'POST', path: '/v1/pets', key: second.key, body: petJson() })
  // The twelve calls of this minute are used up. The following calls earn a ban, with the tenth refusal that was ignored for long enough.
  for (let n = 0; n < 11; n += 1) {
    await callPublic(first, { path: '/v1/pets', key: second.key })
    first.clock.advanceSeconds(n === 0 ? 10 : 1)
  }
  for (let n = 0; n < 2; n += 1) await callPublic(first, { path: `/v1/pets/${pet.json.id}`, key: second.key })
  await createPet(first, shelter.key)
  // None of these has a valid key.
  await callPublic(first, { path: '/v1/pets' })
  await callPublic(first, { path: '/v1/pets', key: first.admin.token })
  await callPublic(first, { method: 'OPTIONS', path: '/v1/pets' })
  const lastOfDay = first.clock.now

  first.clock.now = Date.parse(`${day}T00:00:00Z`) + DAY_MS - 1
  await callPublic(first, { path: `/v1/pets/${pet.json.id}`, key: shelter.key })
  first.clock.advance(1)
  await callPublic(first, { path: `/v1/pets/${pet.json.id}`, key: shelter.key })
  await first.close()
  const service = await first.startAnother()
  const nextDay = new Date(service.clock.now).toISOString().slice(0, 10)
  return { service, bakery, second, shelter, day, nextDay, lastOfDay }
}

const { service, bakery, second, shelter, day, nextDay, lastOfDay } = await startHistory()

test('every call with a key is counted once, by its outcome', async () => {
  assert.deepEqual(await sums('by=key,operation'), [
    [bakery.keyId, 'createPet', counts({ admitted: 1, status2xx: 1 })],
    [bakery.keyId, 'getPet', counts({ admitted: 2, status2xx: 1, status4xx: 1 })],
    [bakery.keyId, 'listPets', counts({ admitted: 5, status2xx: 1, status3xx: 3, status4xx: 1 })],
    [bakery.keyId, 'none', counts({ admitted: 2, status4xx: 2 })],
    [second.id, 'createPet', counts({ admitted: 1, status2xx: 1 })],
    [second.id, 'getPet', counts({ banned: 2 })],
    [second.id, 'listPets', counts({ admitted: 1, status2xx: 1, refused: 10, banned: 1 })],
    [shelter.keyId, 'createPet', counts({ admitted: 1, status2xx: 1 })],
    [shelter.keyId, 'getPet', counts({ admitted: 2, status2xx: 2 })],
  ])
})

test('the same calls can be grouped by each of the dimensions', async () => {
  const OF_BAKERY = counts({ admitted: 12, status2xx: 5, status3xx: 3, status4xx: 4, refused: 10, banned: 3 })
  const OF_SHELTER = counts({ admitted: 3, status2xx: 3 })
  const first = counts({ admitted: 14, status2xx: 7, status3xx: 3, status4xx: 4, refused: 10, banned: 3 })
  const ids = [bakery.account.id, shelter.account.id]
  const byAccount = [
    [ids[0], OF_BAKERY],
    [ids[1], OF_SHELTER],
  ]
  assert.deepEqual(await sums('by=account'), byAccount)
  assert.deepEqual(await sums(''), byAccount, 'by account by default')
  assert.deepEqual(await sums(`account=${ids[0]}`), [[day, OF_BAKERY]], 'of one account by day')
  const byDay = [
    [day, first],
    [nextDay, counts({ admitted: 1, status2xx: 1 })],
  ]
  assert.deepEqual(await sums('by=day'), byDay)
  assert.deepEqual(
    (await sums('by=account,day')).map(([, account]) => account),
    [ids[0], ids[1], ids[1]],
  )
  assert.deepEqual(await sums('by=day,account'), [
    [day, ids[0], OF_BAKERY],
    [day, ids[1], counts({ admitted: 2, status2xx: 2 })],
    [nextDay, ids[1], counts({ admitted: 1, status2xx: 1 })],
  ])
  const all = (await service.call('GET', '/usage?by=day,account,key,operation')).value
  assert.equal(all.length, 10)
  assert.deepEqual(Object.keys(all[0]).slice(0, 6), ['day', 'accountId', 'account', 'keyId', 'keyName', 'operation'])
})

test('too many sums are refused, with advice', async t => {
  const many = await startOperatorService(t)
  const usage = Array.from({ length: 10_001 }, (_, index) => ({
    hour: (dayOf(many.clock.now) - (index % 10)) * 24,
    accountId: BigInt(index),
    keyId: 1n,
    operation: 'listPets',
    admitted: 1,
    refused: 0,
    banned: 0,
    status2xx: 1,
    status3xx: 0,
    status4xx: 0,
    status5xx: 0,
    lastAt: many.clock.now,
    lastFrom: undefined,
  }))
  await many.store.addUsage(usage)
  assertRefused(await many.call('GET', '/usage?by=account,day'), 'invalid_parameter', /choose a shorter time/)
  assert.equal((await many.call('GET', '/usage?by=day')).value.length, 10)
})

test('a sum has names, and the time of its latest call', async () => {
  const [till, web] = (await service.call('GET', '/usage?by=key,account')).value
  assert.deepEqual([till.account, till.keyName], [bakery.account.name, 'till'])
  assert.deepEqual([web.keyName, web.lastAt], ['web', new Date(lastOfDay).toISOString()])
})

test('usage can be selected by days, account and operation', async () => {
  const admitted = async (query: string) => {
    const { value } = await service.call('GET', `/usage?by=account&${query}`)
    return value.map((sum: AdminItem) => [sum.accountId, Number(sum.admitted)])
  }
  const [one, two] = [bakery.account.id, shelter.account.id]
  assert.deepEqual(await admitted(`from=${day}&to=${day}`), [
    [one, 12],
    [two, 2],
  ])
  assert.deepEqual(await admitted(`from=${nextDay}`), [[two, 1]])
  assert.deepEqual(await admitted(`to=${day}`), [
    [one, 12],
    [two, 2],
  ])
  assert.deepEqual(await admitted('from=2020-01-01&to=2020-12-31'), [])
  const reversed = await service.call('GET', `/usage?from=${nextDay}&to=${day}`)
  assertRefused(reversed, 'invalid_parameter', 'from must not be later than to.')
  assert.deepEqual(await admitted(`account=${one}`), [[one, 12]])
  assert.deepEqual(await admitted(`account=${encodeURIComponent(shelter.account.name)}`), [[two, 3]])
  assert.deepEqual(await admitted('operation=createPet'), [
    [one, 2],
    [two, 1],
  ])
  assert.deepEqual(await admitted('operation=none'), [[one, 2]])
  assert.deepEqual(await admitted('operation=unheard-of'), [])
  assert.deepEqual(await admitted(`operation=listPets&account=${one}&from=${day}&to=${day}`), [[one, 6]])
})

test('operators see who still calls the deprecated operation', async () => {
  const { value } = await service.call('GET', '/usage?operation=getPet')
  assert.deepEqual(
    value.map((sum: AdminItem) => [sum.accountId, Number(sum.admitted)]),
    [
      [bakery.account.id, 2],
      [shelter.account.id, 2],
    ],
  )
})

test('usage is shown by hour, and with the hours without calls on request', async () => {
  const all = (await service.call('GET', `/usage?by=hour&from=${day}&to=${nextDay}`)).value
  assert.deepEqual(
    all.map((sum: AdminItem) => [sum.hour, Number(sum.admitted)]),
    [
      [`${day}T12:00:00Z`, 13],
      [`${day}T23:00:00Z`, 1],
      [`${nextDay}T00:00:00Z`, 1],
    ],
  )
  const filled = (await service.call('GET', `/usage?by=hour&from=${day}&to=${nextDay}&fill=true`)).value
  assert.equal(filled.length, 25, 'up to the current hour')
  assert.deepEqual([filled[1].hour, filled[1].admitted, filled[1].lastAt], [`${day}T01:00:00Z`, 0n, null])
  const last = async (query: string) =>
    (await service.call('GET', `/usage?${query}`)).value.map((sum: AdminItem) => sum.hour ?? sum.accountId)
  assert.deepEqual(await last('by=hour&hours=1'), [`${nextDay}T00:00:00Z`])
  assert.deepEqual(await last('by=hour&hours=2'), [`${day}T23:00:00Z`, `${nextDay}T00:00:00Z`])
  assert.deepEqual(await last('by=account&hours=2'), [shelter.account.id], 'the last hours in other groups')
  assert.deepEqual(await last(`by=hour&hours=2&to=${day}`), [`${day}T23:00:00Z`])
  assert.deepEqual(await last('by=hour'), [`${day}T12:00:00Z`, `${day}T23:00:00Z`, `${nextDay}T00:00:00Z`])
})

test('usage can be selected by key, by day unless it is grouped otherwise', async () => {
  assert.deepEqual(await sums(`key=${second.id}`), [
    [day, counts({ admitted: 2, status2xx: 2, refused: 10, banned: 3 })],
  ])
  const [one, two] = [bakery.account.id, shelter.account.id]
  assert.equal((await sums(`key=${second.id}&account=${one}`)).length, 1)
  assert.deepEqual(await sums(`key=${second.id}&account=${two}`), [], 'a key of another account')
  assertRefused(await service.call('GET', '/usage?key=4711'), 'not_found', 'There is no key with id "4711".')
})

test('usage can be grouped by the status of the response', async () => {
  assert.deepEqual(await sums(`account=${bakery.account.id}&by=status`), [
    ['2xx', counts({ admitted: 5, status2xx: 5 })],
    ['3xx', counts({ admitted: 3, status3xx: 3 })],
    ['4xx', counts({ admitted: 4, status4xx: 4 })],
    ['refused', counts({ refused: 10 })],
    ['banned', counts({ banned: 3 })],
  ])
})

test('all calls are exported as CSV, by day or hour, account, key, operation and status', async t => {
  const exported = async (query: string) => {
    const answer = await service.call('GET', `/usage/export?${query}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.text.split('\n')
  }
  const answer = await service.call('GET', '/usage/export')
  assert.equal(answer.header('content-type'), 'text/csv; charset=utf-8')
  assert.match(answer.header('content-disposition') ?? '', /^attachment; filename="usage-\d{4}-\d\d-\d\d\.csv"$/)
  const lines = await exported('')
  assert.equal(lines[0], '\ufefftime,accountId,account,keyId,keyName,operation,status,calls')
  const sums = (await service.call('GET', '/usage?by=day,account,key,operation,status')).value
  const rows = sums.map((sum: AdminItem) => {
    const { day, accountId, account, keyId, keyName, operation, status } = sum
    const calls = sum.admitted + sum.refused + sum.banned
    return [day, accountId, account, keyId, keyName ?? '', operation, status, calls].join(',')
  })
  assert.deepEqual(lines.slice(1, -1), rows)
  assert.ok(rows.includes(`${day},${bakery.account.id},${bakery.account.name},${second.id},web,listPets,refused,10`))

  const scope = `account=${bakery.account.id}&key=${second.id}&operation=listPets&from=${day}&to=${day}`
  const hour = new Date(lastOfDay).toISOString().slice(0, 13)
  const ofWeb = `${bakery.account.id},${bakery.account.name},${second.id},web,listPets`
  assert.deepEqual((await exported(`${scope}&unit=hour`)).slice(1), [
    `${hour}:00:00Z,${ofWeb},2xx,1`,
    `${hour}:00:00Z,${ofWeb},refused,10`,
    `${hour}:00:00Z,${ofWeb},banned,1`,
    '',
  ])
  assert.equal((await exported('from=2020-01-01&to=2020-01-31')).length, 2)
  assertRefused(await service.call('GET', '/usage/export?account=nobody'), 'not_found')
  assertRefused(
    await service.call('GET', '/usage/export?from=2020-02-30'),
    'invalid_parameter',
    /from must be a UTC day/,
  )

  const many = await startOperatorService(t)
  const { id } = (await many.call('POST', '/accounts', { body: { name: '=HYPERLINK(1)', plan: 'free' } })).value
  const keys = Array.from({ length: 12_001 }, (_, index) =>
    usageOf({ day: dayOf(many.clock.now), accountId: id, keyId: BigInt(index + 1), admitted: 1, status2xx: 1 }),
  )
  await many.store.addUsage(keys)
  const all = (await many.call('GET', '/usage/export')).text.trim().split('\n')
  assert.equal(all.length, 12_002)
  assert.equal(new Set(all).size, all.length, 'no row is there twice')
  assert.match(all[1] ?? '', /,'=HYPERLINK\(1\),1,/)
})

test('accounts that call the deprecated operation are listed with the date of its removal, the busiest first', async t => {
  const first = await startOperatorService(t)
  const [quiet, busy, gone] = [await first.createCaller(), await first.createCaller(), await first.createCaller()]
  const { key: refused } = await first.createCaller({ limits: { perMinute: 1 } })
  for (const key of [quiet.key, refused]) await callPublic(first, { path: '/v1/pets', key })
  for (const key of [busy.key, busy.key, gone.key, refused]) await callPublic(first, { path: '/v1/pets/1', key })
  first.clock.advance(1_000)
  await callPublic(first, { path: '/v1/pets/1', key: quiet.key })
  await first.call('DELETE', `/accounts/${gone.account.id}`)
  await first.close()
  const later = await first.startAnother()
  const read = async (query = '') => (await later.call('GET', `/usage/deprecated${query}`)).value
  const [operation, ...others] = await read()
  assert.deepEqual(others, [])
  const { callers, ...rest } = operation
  const lastAt = new Date(first.clock.now).toISOString()
  assert.deepEqual(
    callers,
    [busy, quiet].map(({ account }, index) => ({
      accountId: account.id,
      account: account.name,
      calls: 2n - BigInt(index),
      lastAt: index === 0 ? new Date(first.clock.now - 1_000).toISOString() : lastAt,
    })),
  )
  const today = lastAt.slice(0, 10)
  assert.deepEqual(rest, {
    operation: 'getPet',
    deprecatedAt: '2025-12-05T00:00:00.000Z',
    removedAt: '2030-12-05T00:00:00.000Z',
    from: new Date(first.clock.now - 29 * DAY_MS).toISOString().slice(0, 10),
    to: today,
    accounts: 2n,
    calls: 3n,
    lastAt,
  })
  const [busiest] = await read('?limit=1')
  assert.deepEqual([busiest.accounts, busiest.callers], [2n, callers.slice(0, 1)])
  const [before] = await read('?from=2020-01-01&to=2020-01-31')
  assert.deepEqual([before.accounts, before.calls, before.lastAt, before.callers], [0n, 0n, null, []])
})

test('usage covers thirty days by default', async t => {
  const first = await startOperatorService(t)
  const { key } = await first.createCaller()
  await callPublic(first, { path: '/v1/pets', key })
  await first.close()
  const late = await first.startAnother()
  const seen = async () => (await late.call('GET', '/usage')).value.length
  late.clock.advance(29 * DAY_MS)
  assert.equal(await seen(), 1)
  late.clock.advance(DAY_MS)
  assert.equal(await seen(), 0)
})

test('an invalid day, an invalid dimension and an unknown account are refused', async () => {
  for (const query of [
    'from=yesterday',
    'from=2027-02-30',
    'to=2027-2-3',
    'to=20270301',
    'from=2027-03-01T00:00:00Z',
    'by=',
    'by=week',
    'by=day,',
    'by=day,,day',
    'by=Day',
    'by=day%20,key',
    'by=1;DROP%20TABLE%20usage',
  ]) {
    assertRefused(await service.call('GET', `/usage?${query}`), 'invalid_parameter', /^(from|to|by) must be /)
  }
  assertRefused(await service.call('GET', '/usage?account=nobody'), 'not_found')
})

test('usage shows within seconds while the service runs, before and after a save', async t => {
  const running = await startOperatorService(t)
  const { key } = await running.createCaller()
  const untilTold = (total: bigint) =>
    eventually(async () => {
      const [sum] = (await running.call('GET', '/usage')).value
      assert.equal(sum?.admitted, total)
    }, LOOK_EVERY_MS)
  for (let n = 0; n < 2; n += 1) await callPublic(running, { path: '/v1/pets', key })
  await untilTold(2n)
  for (let n = 0; n < 3; n += 1) await callPublic(running, { path: '/v1/pets', key })
  await untilTold(5n)
})

test('the usage of a deleted account is kept, without a name', async t => {
  const first = await startOperatorService(t)
  const { key, account, keyId } = await first.createCaller()
  await callPublic(first, { path: '/v1/pets', key })
  await first.call('DELETE', `/accounts/${account.id}`)
  await first.close()
  const later = await first.startAnother()
  for (const query of ['by=account,key', `by=account,key&account=${account.id}`]) {
    const [sum] = (await later.call('GET', `/usage?${query}`)).value
    assert.deepEqual([sum.accountId, sum.account, sum.keyId, sum.keyName], [account.id, null, keyId, null])
  }
})

test('kill -9 loses at most a few seconds of usage, and saved usage is not counted twice', async t => {
  const store = await makeStore(t)
  const { account, key, token } = await store.act(async operator => {
    const account = await createAccount(operator, { name: 'acme', plan: 'business', limits: {} })
    const { key } = await issueKey(operator, { account: 'acme' })
    const { token } = await createToken(operator, { name: 'Anna', role: 'staff' })
    return { account, key, token }
  })
  const first = await startServe(t, {}, { store })
  const admitted = async (url: string) => {
    const answer = await fetch(`${url}/admin/v1/usage`, { headers: { authorization: `Bearer ${token}` } })
    const [sum] = (await answer.json()) as { accountId: number; admitted: number }[]
    assert.ok(!sum || BigInt(sum.accountId) === account.id)
    return sum?.admitted ?? 0
  }
  for (let n = 0; n < 20; n += 1) assert.equal(await first.statusOf(key), 200)
  await eventually(async () => assert.equal(await admitted(first.operatorUrl), 20), LOOK_EVERY_MS)
  for (let n = 0; n < 5; n += 1) assert.equal(await first.statusOf(key), 200)
  await first.stop('SIGKILL')
  const second = await startServe(t, {}, { store })
  const kept = await admitted(second.operatorUrl)
  assert.ok(kept >= 20 && kept <= 25, `${kept} of 25`)
  assert.equal(await second.statusOf(key), 200)
  await second.stop('SIGTERM')
  const today = dayOf(Date.now())
  const [sum] = await store.act(operator => operator.store.sumUsage({ range: daysFrom(today - 1, today), by: [] }))
  assert.equal(sum?.admitted, kept + 1, 'an orderly stop forgets nothing')
})

type Counts = ReturnType<typeof counts>

function counts(given: Record<string, number>) {
  const none = { admitted: 0, refused: 0, banned: 0, status2xx: 0, status3xx: 0, status4xx: 0, status5xx: 0 }
  return { ...none, ...given }
}

function numbersOf(sum: AdminItem): Counts {
  return counts(Object.fromEntries(Object.keys(counts({})).map(name => [name, Number(sum[name])])))
}

/** Each sum with its group and its counts. */
async function sums(query: string): Promise<unknown[][]> {
  const answer: AdminAnswer = await service.call('GET', `/usage?${query}`)
  assert.equal(answer.status, 200, answer.text)
  const dimensions = ['day', 'hour', 'accountId', 'keyId', 'operation', 'status']
  return answer.value.map((sum: AdminItem) => [
    ...dimensions.filter(name => name in sum).map(name => sum[name]),
    numbersOf(sum),
  ])
}
