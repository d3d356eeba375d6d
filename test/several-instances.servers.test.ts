import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAccount } from '../src/domain/administration/accounts.ts'
import { issueKey } from '../src/domain/administration/keys.ts'
import { GRACE_MS } from '../src/domain/ban.ts'
import type { Store } from '../src/domain/store.ts'
import { daysFrom } from '../src/domain/usage.ts'
import { type Call, formatRequest } from './support/call.ts'
import {
  type Changes,
  changesByApi,
  changesByCommand,
  changesOnStore,
  issueKeyWithoutLimit,
} from './support/changes.ts'
import type { Cleanup } from './support/cleanup.ts'
import { inReverse } from './support/cleanup.ts'
import { assertUserError, type Serving, startServe } from './support/command-line.ts'
import { eventually, untilDayLasts } from './support/eventually.ts'
import { petJson, readLinks } from './support/pets.ts'
import { readRate } from './support/rate.ts'
import { type Answer, Connection, rawCall } from './support/raw.ts'
import { parseScrape, sumOf } from './support/scrape.ts'
import { canRunInstances, makeSharedStore, startInstances } from './support/servers/instances.ts'
import { makeWholeDatabase } from './support/servers/postgres.ts'
import { startRedis } from './support/servers/redis.ts'
import { type ServiceOptions, startTestService, type TestService } from './support/service.ts'

// Several instances on one PostgreSQL and one Redis act as one: they count together, and a change by one of them or by a command
// applies on every instance from the next call on.

const MINUTE_SECONDS = 60
/** Each instance, and each instance's admin API, takes two turns. */
const ROUNDS = 6
/** How long an instance is blocked: less than the second that the others wait for it. */
const STANDSTILL_MS = 100

const inOrder = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other)

/** A server that answers calls. */
type Target = Pick<TestService, 'url'>

test('of 1,500 parallel calls over three processes exactly 1,000 are admitted, each Remaining value once', async t => {
  if (!canRunInstances(t)) return
  const end = inReverse(t)
  // On a busy machine, so many calls at once are an overload.
  const store = await makeSharedStore(end, { PETSTORE_OVERLOAD_WAIT: '0' })
  const keys = await store.act(async context => {
    await createAccount(context, { name: 'acme', plan: 'business', limits: {} })
    return [await issueKey(context, { account: 'acme' }), await issueKey(context, { account: 'acme' })].map(
      ({ key }) => key,
    )
  })
  const instances = await startInstances(end, store)

  // Each instance knows the keys and has connections.
  const first = instances.flatMap(instance => keys.map(key => callOn(instance, { path: '/v1/nothing', key })))
  const answers = [...(await Promise.all(first)), ...(await callTogether(instances, keys, 1_500))]
  const admitted = answers.filter(answer => answer.status === 404).map(answer => readRate(answer).remaining)
  const refused = answers.filter(answer => answer.status !== 404)
  assert.deepEqual(
    inOrder(admitted),
    Array.from({ length: 1_000 }, (_, remaining) => remaining),
  )
  assert.equal(refused.length, 506)
  for (const answer of refused) {
    assert.equal(answer.json.code, 'rate_limit_exceeded')
    assert.equal(readRate(answer).remaining, 0)
  }
  assert.equal(new Set(answers.map(answer => readRate(answer).reset)).size, 1, 'the window does not move')
})

// It waits three times for the 10 seconds after which a call counts as ignoring a refusal.
test('a change applies on every instance from the next call on', async t => {
  if (!canRunInstances(t)) return
  const end = inReverse(t)
  // A key is banned at its first ignored refusal.
  const store = await makeSharedStore(end, { PETSTORE_BAN_AFTER: '1', PETSTORE_ANONYMOUS_PER_MINUTE: '1000000' })
  const instances = await startInstances(end, store)
  await t.test('through the admin API of each instance in turn', async () => {
    const { token } = await store.json('token', 'create', 'Anna', '--role', 'admin')
    const operators = instances.map(({ operatorUrl }) => changesByApi(operatorUrl, token))
    await goThroughChanges(instances, operators, ROUNDS)
    await goThroughBans(instances, operators, ROUNDS)
  })
  await t.test('directly in the store, as commands do', async () => {
    await store.act(async context => {
      const operators = [changesOnStore(() => ({ ...context, now: Date.now() }))]
      // These are not announced.
      await goThroughChanges(instances, operators, 2)
      await goThroughBans(instances, operators, 2)
    })
  })
  await t.test('news lets a change complete before the next renewals', async () => {
    const { token } = await store.json('token', 'create', 'Eva', '--role', 'admin')
    const changes = changesByApi((instances[0] as Serving).operatorUrl, token)
    const account = await changes.createAccount('quick', 1_000)
    const waits: number[] = []
    for (let round = 0; round < 9; round += 1) {
      const startedAt = performance.now()
      await changes.issueKey(account)
      waits.push(performance.now() - startedAt)
    }
    // Without news, each takes about a second.
    assert.ok(waits.filter(ms => ms < 400).length >= 5, waits.join())
  })
  await t.test('the response waits until the slowest instance knows', async () => {
    const { token } = await store.json('token', 'create', 'Otto', '--role', 'admin')
    const [first, ...others] = instances as [Serving, ...Serving[]]
    const changes = changesByApi(first.operatorUrl, token)
    const account = await changes.createAccount('slow', 1_000)
    for (const slow of [...others, ...others, ...others]) {
      const { id, key } = await changes.issueKey(account)
      await assertEverywhere(instances, key, '/v1/pets', status, 200)
      slow.child.kill('SIGSTOP')
      const startedAt = performance.now()
      setTimeout(() => slow.child.kill('SIGCONT'), STANDSTILL_MS)
      await changes.revokeKey(id)
      assert.ok(performance.now() - startedAt >= STANDSTILL_MS - 1, 'it is waited for')
      await assertEverywhere(instances, key, '/v1/pets', code, 'invalid_api_key')
    }
  })
  await t.test('by commands', async () => {
    const commands = changesByCommand(store)
    await goThroughChanges(instances, [commands], 1)
    await store.act(async context => {
      // The other commands have just been tested.
      const operators = [{ ...changesOnStore(() => context), liftBan: commands.liftBan }]
      await goThroughBans(instances, operators, 1)
    })
  })
})

test('a creation in flight on another instance adds nothing after a change that takes its rights, even if that instance stands still', async t => {
  if (!canRunInstances(t)) return
  const end = inReverse(t)
  const store = await makeSharedStore(end)
  const [first, other] = (await startInstances(end, store, 2)) as [Serving, Serving]
  const { token } = await store.json('token', 'create', 'Anna', '--role', 'admin')
  const changes = changesByApi(first.operatorUrl, token)
  const losses: [what: string, lose: (accountId: string, keyId: string) => Promise<void>][] = [
    ['revoke', (_, keyId) => changes.revokeKey(keyId)],
    ['suspend', accountId => changes.suspend(accountId)],
  ]
  for (const [what, lose] of losses) {
    for (const standsStill of [false, true]) {
      const account = await changes.createAccount(`${what} ${standsStill}`, 1_000)
      const { id, key } = await changes.issueKey(account)
      // It may not serve again yet.
      await eventually(async () => assert.equal((await get(other, key)).status, 200))
      const creation = await beginCreation(other, key)
      if (standsStill) other.child.kill('SIGSTOP')
      await lose(account, id)
      // The rest of the body is already there when the instance goes on.
      const answered = creation.finish()
      if (standsStill) other.child.kill('SIGCONT')
      // An instance that stood still for too long serves nothing before it has caught up.
      const codes = standsStill ? ['invalid_api_key', 'service_unavailable'] : ['invalid_api_key']
      assert.ok(codes.includes((await answered).json.code), `${what}, stands still: ${standsStill}`)
    }
  }
  const { key } = await changes.issueKey(await changes.createAccount('reader', 1_000))
  assert.deepEqual((await get(first, key)).json, [])
})

test('a rotated key works for its overlap on every instance, and its successor from the first call on', async t => {
  if (!canRunInstances(t)) return
  const service = await startInstancesHere(t)
  const changes = changesOnStore(service.adminContext)
  const account = await changes.createAccount('acme', 1_000_000)
  for (let round = 0; round < ROUNDS; round += 1) {
    const old = await changes.issueKey(account)
    assert.deepEqual(await statuses(service.instances, old.key), [200, 200, 200])
    const next = await changes.rotateKey(old.id)
    assert.deepEqual(await statuses(service.instances, next.key), [200, 200, 200])
    service.clock.advanceSeconds(MINUTE_SECONDS - 1)
    assert.deepEqual(await statuses(service.instances, old.key), [200, 200, 200])
    service.clock.advanceSeconds(1)
    assert.deepEqual(await statuses(service.instances, old.key), [401, 401, 401])
    assert.deepEqual(await statuses(service.instances, next.key), [200, 200, 200])
  }
})

test('instances that cannot renew their leases serve nothing, and afterwards changes apply immediately again', async t => {
  if (!canRunInstances(t)) return
  const end = inReverse(t)
  const database = await makeWholeDatabase()
  end.after(database.drop)
  const service = await startInstancesHere(end, { config: { databaseUrl: database.url } })
  const changes = changesOnStore(service.adminContext)
  const account = await changes.createAccount('acme', 1_000_000)
  const old = await changes.issueKey(account)
  const other = await changes.issueKey(account)
  for (const { key } of [old, other]) assert.deepEqual(await statuses(service.instances, key), [200, 200, 200])
  const gauges = () => Promise.all(service.instances.map(({ operatorUrl }) => readLeaseLost(operatorUrl)))

  // All else works.
  await database.run('ALTER TABLE instance RENAME TO hidden')
  await eventually(() => assert.equal(countLines(service, 'lease lost'), 3))
  await eventually(async () => assert.deepEqual(await statuses(service.instances, old.key), [503, 503, 503]))
  const refused = await get(at(service, 0), old.key)
  assert.equal(refused.json.code, 'service_unavailable')
  assert.equal(refused.header('connection'), 'close')
  assert.deepEqual(await gauges(), [1, 1, 1])

  await database.run('ALTER TABLE hidden RENAME TO instance')
  await eventually(() => assert.equal(countLines(service, 'lease restored'), 3))
  assert.deepEqual(await gauges(), [0, 0, 0])
  assert.deepEqual(await statuses(service.instances, other.key), [200, 200, 200])
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id, key } = await changes.issueKey(account)
    assert.deepEqual(await statuses(service.instances, key), [200, 200, 200])
    await changes.revokeKey(id)
    assert.deepEqual(await statuses(service.instances, key), [401, 401, 401])
  }
})

test('an iteration across instances, while all of them create animals, returns every earlier animal once, and all in order', async t => {
  if (!canRunInstances(t)) return
  const service = await startInstancesHere(t)
  const { key } = await service.createCaller()
  let isWalking = true
  const create = async (instance: Target) => {
    while (isWalking) assert.equal((await post(instance, key)).status, 201)
  }
  const earlier = await Promise.all(Array.from({ length: 60 }, (_, index) => post(at(service, index), key)))
  const creating = service.instances.flatMap(instance => [create(instance), create(instance)])
  const met: number[] = []
  let path = '/v1/pets?limit=7'
  // New animals keep coming, so the iteration ends after a number of pages.
  for (let page = 0; page < 120 && path !== ''; page += 1) {
    const answer = await callOn(at(service, page), { path, key })
    met.push(...answer.json.map((pet: { id: number }) => pet.id))
    const { next } = readLinks(answer)
    path = next === undefined ? '' : new URL(next).pathname + new URL(next).search
  }
  isWalking = false
  await Promise.all(creating)
  assert.ok(met.length > 60, 'some were created meanwhile')
  assert.deepEqual(met, inOrder([...new Set(met)]), 'none twice, and in order')
  const ids = inOrder(earlier.map(({ json }) => json.id))
  assert.deepEqual(met.slice(0, ids.length), ids, 'one that was created meanwhile may be left out, but no earlier one')
  t.diagnostic(`${met.length} animals`)
})

test('the same creation sent to all instances at once creates one animal', async t => {
  if (!canRunInstances(t)) return
  const service = await startInstancesHere(t)
  const { key } = await service.createCaller()
  for (let round = 1; round <= 10; round += 1) {
    const sent = Array.from({ length: 9 }, (_, index) => post(at(service, index), key, `order-${round}`))
    const answers = await Promise.all(sent)
    const created = answers.filter(answer => answer.status === 201)
    assert.equal(created.filter(answer => answer.header('idempotency-replayed') === undefined).length, 1)
    for (const answer of created) assert.equal(answer.json.id, round)
    for (const answer of answers.filter(answer => answer.status !== 201)) {
      assert.equal(answer.json.code, 'idempotency_in_progress')
    }
  }
})

test('usage includes the calls of all instances', async t => {
  if (!canRunInstances(t)) return
  const service = await startInstancesHere(t)
  const { key, account } = await service.createCaller({ limits: { perMinute: 100 } })
  const calls = Array.from({ length: 120 }, (_, index) => get(at(service, index), key))
  await Promise.all(calls)
  await service.close()
  const store = await service.openStore()
  const query = { accountId: account.id, by: ['operation'] } as const
  const [sum, ...others] = await store.sumUsage({ ...EVERY_DAY, ...query })
  assert.deepEqual(others, [])
  assert.deepEqual([sum?.operation, sum?.admitted, sum?.refused, sum?.status2xx], ['listPets', 100, 20, 100])
})

test('kill -9 of every instance together with a flushed Redis loses at most the last second of counts', async t => {
  if (!canRunInstances(t)) return
  await untilDayLasts(60_000)
  const end = inReverse(t)
  // It is flushed, so no other test may use it.
  const redis = await startRedis()
  end.after(redis.close)
  const store = await makeSharedStore(end, { PETSTORE_REDIS_URL: redis.url })
  const key = await issueKeyWithoutLimit(store)
  const instances = await startInstances(end, store)

  await getInTurn(instances, key, 60)
  // A crash may lose the last second, so wait that long.
  await eventually(() => store.act(async ({ store: saved }) => assert.equal(await usedToday(saved), 60)), 200)
  await getInTurn(instances, key, 30)
  await Promise.all(instances.map(instance => instance.stop('SIGKILL')))
  assert.match(await redis.command('FLUSHALL'), /OK/)

  const [again] = await startInstances(end, store, 1)
  let since = 0
  const countAgain = async () => {
    since += 1
    const { day } = readRate(await get(again as Serving, key)).windows
    const used = (day?.quota ?? 0) - (day?.remaining ?? 0)
    assert.ok(used >= 61 && used <= 90 + since, `${used} of ${90 + since} calls are counted`)
    return used - since
  }
  // A call waits 50 ms for the store. If that takes longer, the next one has the counts.
  const kept = await eventually(countAgain, 200, () => since < 10)
  t.diagnostic(`of 90 calls before the crash, ${kept} were still counted`)
})

/** The counts in the store of its only account. */
async function usedToday(store: Store): Promise<number | undefined> {
  const [saved] = await store.listCounts(Date.now())
  return saved?.counts.day?.used
}

test('an instance without Redis does not start beside others, and others do not start beside it', async t => {
  if (!canRunInstances(t)) return
  const ports = { PETSTORE_PORT: '0', PETSTORE_OPERATOR_PORT: '0' }
  const besideThose = async () => {
    const end = inReverse(t)
    const shared = await makeSharedStore(end, ports)
    const first = await startServe(end, {}, { store: shared })
    assertUserError(await shared.with({ PETSTORE_REDIS_URL: '' }).run('serve'), /^error: .*PETSTORE_REDIS_URL/)
    assert.equal(await first.statusOf('nonsense'), 401, 'the first one keeps running')
  }
  const besideOne = async () => {
    const end = inReverse(t)
    const shared = await makeSharedStore(end, ports)
    const alone = shared.with({ PETSTORE_REDIS_URL: '' })
    const only = await startServe(end, {}, { store: alone })
    const others = await Promise.all([alone.run('serve'), shared.run('serve')])
    for (const other of others) assertUserError(other, /^error: .*PETSTORE_REDIS_URL/)
    assert.equal(await only.statusOf('nonsense'), 401, 'it keeps running')
  }
  // Each waits a few seconds: the other instance might just be stopping.
  await Promise.all([besideThose(), besideOne()])
})

test('two deployments on one PostgreSQL server and one Redis share nothing', async t => {
  if (!canRunInstances(t)) return
  const end = inReverse(t)
  const database = await makeWholeDatabase()
  end.after(database.drop)
  const services = [
    await startTestService(end, { backend: 'scaled' }),
    await startTestService(end, { backend: 'scaled' }),
    await startTestService(end, { backend: 'scaled', config: { databaseUrl: database.url } }),
    await startTestService(end, { backend: 'scaled', config: { deployment: 'staging' } }),
  ]
  const callers = await Promise.all(services.map(service => service.createCaller({ plan: 'free' })))
  assert.equal(
    new Set(callers.map(({ account, keyId }) => `${account.id} ${keyId}`)).size,
    1,
    'alike, as far as ids go',
  )
  const cursors: string[] = []
  for (const [index, service] of services.entries()) {
    const key = callers[index]?.key ?? ''
    for (const name of ['Rex', 'Mia']) {
      const created = await callOn(service, {
        method: 'POST',
        path: '/v1/pets',
        key,
        body: petJson({ name: `"${name}"` }),
      })
      assert.equal(created.status, 201)
    }
    const page = await callOn(service, { path: '/v1/pets?limit=1', key })
    assert.equal(page.json.length, 1)
    assert.equal(readRate(page).remaining, 57, 'no call of another deployment counts here')
    assert.equal(readRate(await callOn(service, { path: '/v1/pets' })).remaining, 599, 'nor one without a key')
    cursors.push(new URL(readLinks(page).next ?? '').search)
  }
  for (const [index, service] of services.entries()) {
    for (const [other, { key }] of callers.entries()) {
      const answer = await callOn(service, { path: `/v1/pets${cursors[other]}`, key: callers[index]?.key })
      assert.equal(answer.status, other === index ? 200 : 400, 'a cursor')
      assert.equal((await get(service, key)).status, other === index ? 200 : 401, 'a key')
    }
  }
})

const EVERY_DAY = { range: daysFrom(0, 99_999) }

function startInstancesHere(t: Cleanup, options: ServiceOptions = {}): Promise<TestService> {
  return startTestService(t, { backend: 'balanced', ...options })
}

/** Makes every change except a ban, by each operator in turn, and after each change a first call to all instances simultaneously. */
async function goThroughChanges(
  instances: readonly Target[],
  operators: readonly Changes[],
  rounds: number,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const changes = operators[round % operators.length] as Changes
    const account = await changes.createAccount(randomUUID(), 1_000)
    const first = await changes.issueKey(account)
    await assertEverywhere(instances, first.key, '/v1/pets', status, 200)
    const { id, key } = await changes.issueKey(account)
    await assertEverywhere(instances, key, '/v1/pets', status, 200)
    await changes.revokeKey(first.id)
    await assertEverywhere(instances, first.key, '/v1/pets', code, 'invalid_api_key')
    await changes.suspend(account)
    await assertEverywhere(instances, key, '/v1/pets', code, 'invalid_api_key')
    await changes.resume(account)
    await assertEverywhere(instances, key, '/v1/pets', status, 200)
    await changes.setLimit(account, 2_000 + round)
    await assertEverywhere(instances, key, '/v1/pets', answer => readRate(answer).limit, 2_000 + round)
    const next = await changes.rotateKey(id)
    await assertEverywhere(instances, next.key, '/v1/pets', status, 200)
    await assertEverywhere(instances, key, '/v1/pets', status, 200)

    await assertEverywhere(instances, key, '/v1/pets', names, [])
    const pet = await changes.addPet('Rex')
    await assertEverywhere(instances, key, '/v1/pets', names, ['Rex'])
    await changes.correctPet(pet, 'Max')
    await assertEverywhere(instances, key, `/v1/pets/${pet}`, answer => answer.json.name, 'Max')
    await assertEverywhere(instances, key, '/v1/pets', names, ['Max'])
    await changes.deletePet(pet)
    await assertEverywhere(instances, key, `/v1/pets/${pet}`, code, 'pet_not_found')
    await assertEverywhere(instances, key, '/v1/pets', names, [])
  }
}

/** Keys earn bans, each on one instance, and the bans are lifted. After both comes a first call to all instances at once. */
async function goThroughBans(
  instances: readonly Target[],
  operators: readonly Changes[],
  rounds: number,
): Promise<void> {
  const offenders = await Promise.all(
    Array.from({ length: rounds }, async (_, index) => {
      const changes = operators[index % operators.length] as Changes
      const instance = instances[index % instances.length] as Target
      const account = await changes.createAccount(randomUUID(), 1)
      const { id, key } = await changes.issueKey(account)
      assert.equal((await get(instance, key)).status, 200)
      assert.equal(code(await get(instance, key)), 'rate_limit_exceeded')
      return { changes, instance, account, id, key }
    }),
  )
  // Earlier calls may have been in flight already.
  await sleep(GRACE_MS)
  for (const { changes, instance, account, id, key } of offenders) {
    assert.equal(code(await get(instance, key)), 'api_key_banned')
    await assertEverywhere(instances, key, '/v1/pets', code, 'api_key_banned')
    await changes.setLimit(account, 1_000)
    await assertEverywhere(instances, key, '/v1/pets', code, 'api_key_banned')
    await changes.liftBan(id)
    await assertEverywhere(instances, key, '/v1/pets', status, 200)
  }
}

/** Checks the status of a first call to each instance, all at once. */
async function assertEverywhere(
  instances: readonly Target[],
  key: string,
  path: string,
  read: (answer: Answer) => unknown,
  expected: unknown,
): Promise<void> {
  const answers = await Promise.all(instances.map(instance => callOn(instance, { path, key })))
  assert.deepEqual(
    answers.map(read),
    answers.map(() => expected),
  )
}

function status(answer: Answer): number {
  return answer.status
}

function code(answer: Answer): string {
  return answer.json.code
}

function names(answer: Answer): string[] {
  return answer.json.map((pet: { name: string }) => pet.name)
}

function at(service: TestService, index: number): Target {
  return service.instances[index % service.instances.length] as Target
}

async function callOn(target: Target, request: Call): Promise<Answer> {
  const [answer] = await rawCall(Number(new URL(target.url).port), formatRequest(target, request))
  assert.ok(answer)
  return answer
}

function get(target: Target, key: string): Promise<Answer> {
  return callOn(target, { path: '/v1/pets', key })
}

function post(target: Target, key: string, idempotencyKey = randomUUID() as string): Promise<Answer> {
  const headers = { 'Idempotency-Key': idempotencyKey }
  return callOn(target, { method: 'POST', path: '/v1/pets', key, body: petJson(), headers })
}

/** Sends a creation without the end of its body, and waits until its instance reads the body. */
async function beginCreation(target: Target, key: string): Promise<{ finish(): Promise<Answer> }> {
  const connection = await Connection.open(Number(new URL(target.url).port))
  const headers = { Expect: '100-continue' }
  const bytes = formatRequest(target, { method: 'POST', path: '/v1/pets', key, headers, body: petJson() })
  connection.write(bytes.subarray(0, -1))
  assert.equal((await connection.answer('POST')).status, 100)
  return {
    async finish() {
      connection.write(bytes.subarray(-1))
      const answer = await connection.answer('POST')
      connection.destroy()
      return answer
    },
  }
}

/** The statuses of a first call to each instance, all at once. */
async function statuses(targets: readonly Target[], key: string): Promise<number[]> {
  return (await Promise.all(targets.map(target => get(target, key)))).map(answer => answer.status)
}

async function getInTurn(targets: readonly Target[], key: string, calls: number): Promise<void> {
  for (let call = 0; call < calls; call += 1) {
    assert.equal((await get(targets[call % targets.length] as Target, key)).status, 200)
  }
}

/**
 * Sends calls over many connections at once, with targets and keys in turn. Their path is unknown: such a call counts like any other, and
 * needs no data.
 */
async function callTogether(targets: readonly Target[], keys: readonly string[], calls: number): Promise<Answer[]> {
  const lanes = 60
  const connections = await Promise.all(
    Array.from({ length: lanes }, (_, lane) => {
      const { url } = targets[lane % targets.length] as Target
      return Connection.open(Number(new URL(url).port))
    }),
  )
  const answers = await Promise.all(
    connections.map(async (connection, lane) => {
      const target = targets[lane % targets.length] as Target
      const own = Array.from({ length: calls / lanes }, (_, index) =>
        formatRequest(target, { path: '/v1/nothing', key: keys[index % keys.length] }),
      )
      connection.write(Buffer.concat(own))
      const answers: Answer[] = []
      for (const _ of own) answers.push(await connection.answer())
      connection.destroy()
      return answers
    }),
  )
  return answers.flat()
}

async function readLeaseLost(operatorUrl: string): Promise<number | undefined> {
  const scrape = await (await fetch(`${operatorUrl}/metrics`)).text()
  return sumOf(parseScrape(scrape), 'petstore_store_push_lost')
}

function countLines(service: TestService, text: string): number {
  return service.logs.filter(line => line.includes(text)).length
}
