import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { createInterface } from 'node:readline'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { parseConfig } from '../src/app/config.ts'
import { openStore } from '../src/app/open-store.ts'
import { createAccount } from '../src/domain/administration/accounts.ts'
import { issueKey } from '../src/domain/administration/keys.ts'
import { GRACE_MS } from '../src/domain/ban.ts'
import type { Limits } from '../src/domain/plan.ts'
import { adminContext } from './support/admin-context.ts'
import { PROGRAM } from './support/command-line.ts'
import { ROUNDS } from './support/duration-factor.ts'
import { untilDayLasts } from './support/eventually.ts'
import { temporaryFolder } from './support/folder.ts'

const CRASHES = 4 * ROUNDS
const CREATORS = 64
/** The service is killed once this many creations of the round are acknowledged, amid the others. */
const ACKNOWLEDGED_BEFORE_CRASH = [80, 400] as const
const NO_LIMIT: Limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }

test('kill -9 loses no acknowledged animal, and a retry creates no duplicate', async t => {
  const folder = await temporaryFolder(t)
  const [key = ''] = await createKeys(folder, NO_LIMIT)
  const unacknowledged: Creation[] = []
  const acknowledged: Creation[] = []
  let retries = 0
  let replays = 0

  /** Creates animals one by one until the service is gone, starting with those that an earlier crash interrupted. */
  async function createUntilCrash(service: RunningService, enough: () => boolean): Promise<void> {
    while (!enough()) {
      const retried = unacknowledged.pop()
      const creation = retried ?? { name: crypto.randomUUID() }
      if (retried) retries += 1
      const answer = await call(service, key, { creation }).catch(() => undefined)
      if (!answer) {
        unacknowledged.push(creation)
        return
      }
      const { id, name } = answer.body as Pet
      assert.equal(answer.status, 201, JSON.stringify(answer.body))
      assert.equal(name, creation.name)
      if (answer.headers['idempotency-replayed'] === 'true') replays += 1
      acknowledged.push({ name, id })
    }
  }

  /** Repeats creations that were acknowledged just before a crash, like a client that has lost its own record of them. */
  async function repeatNewest(service: RunningService): Promise<void> {
    const repeat = async (creation: Creation) => {
      const { headers, body } = await call(service, key, { creation })
      assert.equal((body as Pet).id, creation.id)
      assert.equal(headers['idempotency-replayed'], 'true')
    }
    await Promise.all(acknowledged.slice(-CREATORS).map(repeat))
  }

  for (let crash = 0; crash < CRASHES; crash += 1) {
    const service = await startService(t, folder)
    await repeatNewest(service)
    const [least, most] = ACKNOWLEDGED_BEFORE_CRASH
    const goal = acknowledged.length + least + Math.floor(Math.random() * (most - least))
    const killed = waitUntil(() => acknowledged.length >= goal || hasEnded(service)).then(() => end(service, 'SIGKILL'))
    await Promise.all([killed, ...Array.from({ length: CREATORS }, () => createUntilCrash(service, () => false))])
    assert.ok(unacknowledged.length > 0, 'the crash came amid creations')
  }

  const service = await startService(t, folder)
  await repeatNewest(service)
  await createUntilCrash(service, () => unacknowledged.length === 0)
  const pets = await listAll(service, key)
  const kept = new Map(pets.map(({ id, name }) => [id, name]))
  for (const { id, name } of acknowledged) assert.equal(kept.get(id ?? 0), name, `animal ${id}`)
  const names = new Set(acknowledged.map(({ name }) => name))
  assert.equal(new Set(pets.map(({ name }) => name)).size, pets.length, 'no animal is there twice')
  assert.equal(pets.length, names.size, 'every creation was acknowledged in the end, and made one animal')
  assert.equal(acknowledged.length, names.size)
  assert.equal(await end(service, 'SIGTERM'), 0)
  t.diagnostic(`${acknowledged.length} animals, ${retries} creations retried, ${replays} of them replayed`)
})

test('counts and bans survive kill -9 and SIGTERM', async t => {
  await untilDayLasts(30_000)
  const folder = await temporaryFolder(t)
  const [counted = '', banned = ''] = await createKeys(
    folder,
    { perMinute: 1_000_000, perDay: 1_000 },
    { perMinute: 1, perDay: 1_000 },
  )

  const first = await startService(t, folder)
  assert.equal((await call(first, banned)).status, 200)
  assert.equal((await call(first, banned)).status, 429)
  assert.equal(await usedToday(first, counted, 50), 50)
  // The time in which a refusal may be overlooked; it is longer than the time that a crash may lose.
  await setTimeout(GRACE_MS)
  const { body, headers } = await call(first, banned)
  assert.equal((body as { code: string }).code, 'api_key_banned')
  await usedToday(first, counted, 10)
  await end(first, 'SIGKILL')

  const second = await startService(t, folder)
  const stillBanned = await call(second, banned)
  assert.equal((stillBanned.body as { code: string }).code, 'api_key_banned')
  assert.equal(stillBanned.headers['x-ratelimit-reset'], headers['x-ratelimit-reset'])
  const used = await usedToday(second, counted, 1)
  assert.ok(used >= 51 && used <= 61, `a crash forgets at most the last second: ${used} calls are counted`)
  await usedToday(second, counted, 20)
  assert.equal(await end(second, 'SIGTERM'), 0)

  const third = await startService(t, folder)
  assert.equal(await usedToday(third, counted, 1), used + 21, 'an orderly stop forgets nothing')
  const bannedToTheEnd = await call(third, banned)
  assert.equal((bannedToTheEnd.body as { code: string }).code, 'api_key_banned')
  assert.equal(bannedToTheEnd.headers['x-ratelimit-reset'], headers['x-ratelimit-reset'])
  assert.equal(await end(third, 'SIGTERM'), 0)
})

interface Creation {
  /** Also its idempotency key. */
  name: string
  id?: number
}

interface Pet {
  id: number
  name: string
}

interface RunningService {
  process: ChildProcess
  port: number
  agent: Agent
}

function environment(folder: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    PETSTORE_DATA: folder,
    PETSTORE_PORT: '0',
    PETSTORE_OPERATOR_PORT: '0',
    PETSTORE_BAN_AFTER: '1',
  }
}

/** Starts the program as an operator does, and waits until it reports its address. */
async function startService(t: TestContext, folder: string): Promise<RunningService> {
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    env: environment(folder),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  for await (const line of createInterface(child.stdout)) {
    const { url } = JSON.parse(line) as { url?: string }
    if (!url) continue
    child.stdout.resume()
    return { process: child, port: Number(new URL(url).port), agent: new Agent({ keepAlive: true }) }
  }
  throw new Error('The service ended before it listened.')
}

/** Ends the service; returns its exit code. */
async function end(service: RunningService, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
  const exited = hasEnded(service) ? undefined : once(service.process, 'exit')
  service.process.kill(signal)
  await exited
  service.agent.destroy()
  return service.process.exitCode
}

function hasEnded({ process }: RunningService): boolean {
  return process.exitCode !== null || process.signalCode !== null
}

/** Issues keys, each of a new account with these limits. */
async function createKeys(folder: string, ...limitsOfEach: Limits[]): Promise<string[]> {
  const config = parseConfig(environment(folder))
  const store = await openStore(config)
  const keys: string[] = []
  for (const [index, limits] of limitsOfEach.entries()) {
    const operator = adminContext(store, Date.now(), config.deployment)
    const { id } = await createAccount(operator, { name: `account ${index}`, plan: 'enterprise', limits })
    keys.push((await issueKey(operator, { account: String(id) })).key)
  }
  await store.close()
  return keys
}

/** Calls the list, or creates an animal. Rejects if the connection breaks. */
function call(
  service: RunningService,
  key: string,
  { creation, path = '/v1/pets' }: { creation?: Creation; path?: string } = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; body: unknown }> {
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof call>>>()
  const sent = request({
    agent: service.agent,
    host: '127.0.0.1',
    port: service.port,
    method: creation ? 'POST' : 'GET',
    path,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(creation && { 'Content-Type': 'application/json', 'Idempotency-Key': creation.name }),
    },
  })
  sent.on('error', reject)
  sent.on('response', response => {
    const { statusCode = 0, headers } = response
    json(response).then(body => resolve({ status: statusCode, headers, body }), reject)
  })
  sent.end(creation && JSON.stringify({ name: creation.name, categoryId: 1 }))
  return promise
}

async function listAll(service: RunningService, key: string): Promise<Pet[]> {
  const pets: Pet[] = []
  for (let path: string | undefined = '/v1/pets?limit=100'; path; ) {
    const { status, headers, body } = await call(service, key, { path })
    assert.equal(status, 200)
    pets.push(...(body as Pet[]))
    const next = /<([^>]+)>; rel="next"/.exec(String(headers.link ?? ''))?.[1]
    path = next && new URL(next).pathname + new URL(next).search
  }
  return pets
}

/** Makes that many calls, and returns how many the account has made today. */
async function usedToday(service: RunningService, key: string, calls: number): Promise<number> {
  let used = 0
  for (let made = 0; made < calls; made += 1) {
    const { status, headers } = await call(service, key)
    assert.equal(status, 200)
    used = 1_000 - Number(/"day";r=(\d+)/.exec(String(headers.ratelimit))?.[1])
  }
  return used
}

async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await setTimeout(1)
}
