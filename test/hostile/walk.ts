import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAccount } from '../../src/domain/administration/accounts.ts'
import type { AdminContext } from '../../src/domain/administration/context.ts'
import { issueKey } from '../../src/domain/administration/keys.ts'
import { createToken } from '../../src/domain/administration/tokens.ts'
import { dayOf, daysFrom } from '../../src/domain/usage.ts'
import { type Cleanup, inReverse } from '../support/cleanup.ts'
import type { TestStore } from '../support/command-line.ts'
import { eventually, untilDayLasts } from '../support/eventually.ts'
import { petJson } from '../support/pets.ts'
import { readRate } from '../support/rate.ts'
import { type Answer, Connection } from '../support/raw.ts'
import { parseScrape, type Series, sumOf } from '../support/scrape.ts'
import { DOING, WAITING } from './actions.ts'
import { assertOrderly, assertPublic } from './answers.ts'
import { type Instance, startInstance } from './instance.ts'
import { getRequest, PROXY_PHASES, phasesOf, type Target } from './phases.ts'

const ACTIONS = { ...DOING, ...WAITING }

/** The targets of the walk. */
export interface Surroundings {
  /** The backend of the instances, with these settings. */
  makeStore(t: Cleanup, settings: Record<string, string>): Promise<TestStore>
  instances: number
  /** Connections to the public listener begin with a PROXY header. */
  hasProxyHeader: boolean
}

/** Ordered like the real ones, but shorter. */
const TIMEOUTS = { headersMs: 2_000, requestMs: 2_500, stallTimeoutMs: 3_000, keepAliveMs: 4_500, checkEveryMs: 50 }
/** How many busy clients walk at the same time. More of them would delay each other on a slow machine. */
const FEW = 6
/** The same for idle clients. They wait for seconds, but come all at once: the creations of too many would take longer than the store has time. */
const MANY = 48
const LIMITS = { perMinute: 1_000_000, perDay: 1_000_000 }
const LISTENERS = ['public', 'operators'] as const
type ListenerName = (typeof LISTENERS)[number]

/** How long the walk may count within one day. */
const WALK_MS = 120_000

/** How much the live memory may grow during the walk: cached pages and callers, but no connections. */
const KEPT_BYTES = 16_777_216

/** How many clients request pages and read none, and how many pages of about 30 KB or more each requests. */
const CLIENTS_THAT_DO_NOT_READ = 24
const PAGES = 1_000
/** How much the process may grow for its own work, and for each of these clients: the requests of a packet, and an answer. */
const GROWTH_BYTES = 67_108_864
const BYTES_FOR_EACH = 524_288
/** The time until the system's buffers are full, plus the timeout. */
const CUT_OFF_WITHIN_MS = 45_000

/**
 * Goes through every phase of a request with every kind of misbehaviour. Afterwards the service must be unaffected: alive, without an error, and
 * without leaked connections or memory. Its log, usage and metrics must agree with what was counted.
 */
export async function walk({ makeStore, instances: count, hasProxyHeader }: Surroundings): Promise<void> {
  await untilDayLasts(WALK_MS)
  const t = inReverse({ after })
  const settings: Record<string, string> = { PETSTORE_ANONYMOUS_PER_MINUTE: '1000000' }
  if (hasProxyHeader) Object.assign(settings, { PETSTORE_PROXY_PROTOCOL: 'on', PETSTORE_TRUSTED_PROXIES: '127.0.0.1' })
  const store = await makeStore(t, settings)
  const { callers, token } = await store.act(prepare)
  const instances = await Promise.all(Array.from({ length: count }, () => startInstance(t, store, TIMEOUTS)))
  const accountIds = new Map([...callers].map(([name, { accountId }]) => [name, accountId]))
  const honest = callers.get(HONEST) as TestCaller
  for (let page = 0; page < 100; page += 1) await addPet(instances[page % count] as Instance, honest.key)
  const before = await Promise.all(instances.map(instance => instance.inspect({ collectGarbage: true })))
  const startedAt = Date.now()
  let turn = 0

  for (const [actions, concurrency] of [
    [DOING, FEW],
    [WAITING, MANY],
  ] as const) {
    test(`in each phase of a request: ${Object.keys(actions).join(', ')}`, { concurrency }, async t => {
      await Promise.all(LISTENERS.flatMap(listener => Object.keys(actions).flatMap(name => attack(t, listener, name))))
    })
  }

  for (const listener of LISTENERS) {
    test(`clients that read nothing from the ${listener} listener are cut off, and cost little memory`, async t => {
      const bytes = getRequest(TARGETS[listener].page, secretOf(listener, HONEST))
      await Promise.all(instances.map(instance => readNothing(t, instance, listener, bytes.repeat(PAGES))))
    })
  }

  test('no connection is left, and no memory', async () => {
    for (const [index, instance] of instances.entries()) {
      await eventually(async () => assert.equal((await instance.inspect()).connections, 0))
      const { aliveBytes } = await instance.inspect({ collectGarbage: true })
      const grown = aliveBytes - (before[index]?.aliveBytes ?? 0)
      assert.ok(grown < KEPT_BYTES, `${grown} bytes more are alive`)
    }
  })

  test('what the limits have counted is what log and usage show, of every account', async () => {
    // During an outage of Redis, which a busy machine may cause, calls are counted against shares and not exactly.
    const isExact = !(await hadOutage())
    const counted: Record<string, number> = {}
    for (const [name, { key }] of callers) counted[name] = await callsCounted(instances[0] as Instance, key)
    await eventually(async () => {
      const lines = Map.groupBy(
        instances.flatMap(instance => instance.log()),
        ({ account }) => String(account),
      )
      const usage = await store.act(({ store }) =>
        store.sumUsage({ range: daysFrom(dayOf(startedAt), dayOf(Date.now())), by: ['account'] }),
      )
      const used = new Map(usage.map(({ accountId, admitted }) => [String(accountId), admitted]))
      const compare = (countOf: (id: string) => number) =>
        Object.fromEntries([...accountIds].map(([name, id]) => [name, countOf(String(id))]))
      const logged = compare(id => lines.get(id)?.length ?? 0)
      if (isExact) assert.deepEqual(logged, counted, 'lines of the log')
      assert.deepEqual(
        compare(id => used.get(id) ?? 0),
        logged,
        'usage',
      )
    }, 200)
  })

  test('what the log shows is what the metrics show, of every instance', async () => {
    for (const instance of instances) {
      await eventually(async () => {
        const scrape = await readMetrics(instance)
        const lines = instance.log().filter(({ msg }) => msg === 'call')
        const isProbe = ({ labels }: Series) => ['livez', 'readyz', 'metrics'].includes(labels.operation ?? '')
        const operators = scrape.filter(({ name }) => name === 'petstore_operator_requests_total')
        const calls = operators.filter(series => !isProbe(series)).reduce((sum, { value }) => sum + value, 0)
        // On a machine that is busy, there may be an overload, in which refused calls have no lines.
        const unlogged = sumOf(scrape, 'petstore_overload_refused_total') ?? 0
        assert.equal((sumOf(scrape, 'petstore_http_requests_total') ?? 0) + calls, lines.length + unlogged)
        assert.equal(sumOf(scrape, 'petstore_calls_total'), lines.filter(({ account }) => account).length)
      }, 200)
    }
  })

  test('no process has ended or complained, and no error was logged', () => {
    for (const instance of instances) {
      assert.equal(instance.hasEnded(), false)
      // The first one is enough to see the problem.
      assert.equal(instance.complaints().slice(0, 2_000), '')
      const errors = instance.log().filter(({ level }) => level >= 50)
      const unexpected = errors.find(({ msg, err }) => !OUTAGE.test(err ? `${msg}: ${err.message}` : msg))
      assert.equal(JSON.stringify(unexpected), undefined)
    }
  })

  function attack(t: TestContext, listener: ListenerName, name: string): Promise<void>[] {
    const secret = secretOf(listener, name)
    const beforeHttp = hasProxyHeader && listener === 'public' ? PROXY_PHASES : []
    return [...beforeHttp, ...phasesOf({ secret, ...TARGETS[listener] })].map(phase =>
      t.test(`${listener}: ${name} ${phase.name}`, async () => {
        const omitsProxyHeader = phase.isProxyHeader
        await ACTIONS[name]?.(phase, () => connectTo(nextInstance(), listener, { omitsProxyHeader }))
        for (const instance of instances) await serve(instance, listener, secret)
      }),
    )
  }

  async function hadOutage(): Promise<boolean> {
    const scrapes = await Promise.all(instances.map(readMetrics))
    return scrapes.some(scrape => (sumOf(scrape, 'petstore_limiter_alone_decisions_total') ?? 0) > 0)
  }

  /** Connections go to each in turn. */
  function nextInstance(): Instance {
    turn += 1
    return instances[turn % count] as Instance
  }

  function secretOf(listener: ListenerName, name: string): string {
    return listener === 'operators' ? token : (callers.get(name) as TestCaller).key
  }

  async function connectTo(
    instance: Instance,
    listener: ListenerName,
    { omitsProxyHeader = false }: { omitsProxyHeader?: boolean | undefined } = {},
  ): Promise<Connection> {
    const isPublic = listener === 'public'
    const connection = await Connection.open(
      isPublic ? instance.port : instance.operatorPort,
      isPublic ? assertPublic : assertOrderly,
    )
    if (isPublic && hasProxyHeader && !omitsProxyHeader) connection.write(PROXY_HEADER)
    return connection
  }

  async function serve(instance: Instance, listener: ListenerName, secret: string): Promise<Answer> {
    return ask(instance, listener, getRequest(TARGETS[listener].read, secret), 200)
  }

  async function ask(instance: Instance, listener: ListenerName, bytes: string, status: number): Promise<Answer> {
    assert.equal(instance.hasEnded(), false, `the process has ended: ${instance.complaints()}`)
    const connection = await connectTo(instance, listener)
    connection.write(bytes)
    const answer = await connection.answer()
    assert.equal(answer.status, status, answer.text)
    connection.destroy()
    return answer
  }

  async function addPet(instance: Instance, key: string): Promise<void> {
    const body = petJson({ name: JSON.stringify('x'.repeat(255)) })
    const head = `POST ${TARGETS.public.create} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json`
    await ask(instance, 'public', `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`, 201)
  }

  async function callsCounted(instance: Instance, key: string): Promise<number> {
    const { windows } = readRate(await serve(instance, 'public', key))
    return LIMITS.perDay - (windows.day?.remaining ?? 0)
  }

  async function readMetrics(instance: Instance): Promise<Series[]> {
    return parseScrape(await (await fetch(`${instance.operatorUrl}/metrics`)).text())
  }

  async function readNothing(t: TestContext, instance: Instance, listener: ListenerName, bytes: string): Promise<void> {
    const { rssBytes: before } = await instance.inspect({ collectGarbage: true })
    const opened = Array.from({ length: CLIENTS_THAT_DO_NOT_READ / count }, () => connectTo(instance, listener))
    const clients = await Promise.all(opened)
    t.after(() => {
      for (const client of clients) client.destroy()
    })
    for (const client of clients) {
      client.stopReading()
      client.write(bytes)
    }
    const deadline = performance.now() + CUT_OFF_WITHIN_MS
    let most = 0
    let lastTakenAt = performance.now()
    let written = 0
    for (;;) {
      const { connections, rssBytes, writtenBytes } = await instance.inspect({ collectGarbage: true })
      if (connections === 0) break
      assert.ok(performance.now() < deadline, `${connections} of ${clients.length} clients are not cut off`)
      if (writtenBytes > written) lastTakenAt = performance.now()
      written = writtenBytes
      most = Math.max(most, rssBytes - before)
      await sleep(300)
    }
    const stallTimeoutMs = performance.now() - lastTakenAt
    assert.ok(most < GROWTH_BYTES + clients.length * BYTES_FOR_EACH, `${most} bytes more for ${clients.length} clients`)
    assert.ok(stallTimeoutMs < TIMEOUTS.keepAliveMs, `cut off after ${Math.round(stallTimeoutMs)} ms`)
  }
}

interface TestCaller {
  accountId: bigint
  key: string
}

/** The well-behaved client. */
const HONEST = 'an honest client'
/** Log messages if Redis or PostgreSQL answers too late on a busy machine. Data that could not be saved is saved the next time. */
const OUTAGE = /^Redis is unavailable|^failed to save the (?:usage|call counts): .*no response arrived in time$/
const PROXY_HEADER = 'PROXY TCP4 192.0.2.7 127.0.0.1 50000 8080\r\n'
const TARGETS: Record<ListenerName, Omit<Target, 'secret'>> = {
  public: { read: '/v1/pets/1', page: '/v1/pets?limit=100', create: '/v1/pets', nowhere: '/v1/nothing' },
  operators: {
    read: '/admin/v1/pets/1',
    page: '/openapi.json',
    create: '/admin/v1/pets',
    nowhere: '/admin/v1/nothing',
  },
}

/** An account for each kind of misbehaviour, so that the counts show whose calls are missing. */
async function prepare(context: AdminContext): Promise<{ callers: Map<string, TestCaller>; token: string }> {
  const callers = new Map<string, TestCaller>()
  for (const name of [HONEST, ...Object.keys(ACTIONS)]) {
    const { id } = await createAccount(context, { name, plan: 'enterprise', limits: LIMITS })
    const { key } = await issueKey(context, { account: String(id) })
    callers.set(name, { accountId: id, key })
  }
  const { token } = await createToken(context, { name: 'Anna', role: 'admin' })
  return { callers, token }
}
