import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { generateKey } from '../src/domain/api-key.ts'
import { call } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { inTime } from './support/in-time.ts'
import { startOperatorService } from './support/operator.ts'
import { petJson } from './support/pets.ts'
import { type Answer, Connection, firstWord } from './support/raw.ts'
import { skip } from './support/servers/needs.ts'
import { noPostgres, type PostgresServer, startPostgres } from './support/servers/postgres.ts'
import { startTestService, type TestCaller, type TestService } from './support/service.ts'
import { portOf } from './support/started.ts'

// A store outage, as clients experience it: every call is answered in time, nothing that was acknowledged is lost, and the service
// recovers without a restart.

/** Every call is answered within two seconds. The rest is for this process, which makes, answers and checks the calls of all clients. */
const BOUND_MS = 2_000 + 1_000
const CLIENTS = 8
const MAX_CONNECTIONS = 40

interface Fault {
  name: string
  /** Causes the fault, and returns a function that ends it. */
  begin(server: PostgresServer): Promise<() => Promise<void>>
  lastsMs: number
  /** Whether it is sure that calls are refused. */
  isSeen: boolean
}

const FAULTS: readonly Fault[] = [
  {
    name: 'connections that are ended again and again',
    lastsMs: 2_000,
    isSeen: false,
    begin: ({ url }) => repeat(url, () => `${END_CONNECTIONS}; SELECT pg_sleep(0.05)`),
  },
  {
    name: 'a server that stands still',
    lastsMs: 5_000,
    isSeen: true,
    async begin(server) {
      await server.signal('SIGSTOP')
      return () => server.signal('SIGCONT')
    },
  },
  {
    name: 'a server that is killed',
    lastsMs: 2_000,
    isSeen: true,
    async begin(server) {
      await server.signal('SIGKILL')
      return () => server.start()
    },
  },
  {
    name: 'a server that is restarted in order',
    lastsMs: 0,
    isSeen: false,
    async begin(server) {
      const { pid } = server
      // SIGINT: PostgreSQL ends without waiting for its clients.
      process.kill(pid, 'SIGINT')
      await eventually(() => assert.throws(() => process.kill(pid, 0)))
      return () => server.start()
    },
  },
  {
    name: 'a server that takes no more connections',
    lastsMs: 3_000,
    isSeen: true,
    async begin({ url }) {
      const first = new Client({ connectionString: url })
      await first.connect()
      const others = [first]
      const deadline = performance.now() + 10_000
      // Once it has all of them, the service has none.
      while (others.length < MAX_CONNECTIONS && performance.now() < deadline) {
        await first.query(END_CONNECTIONS)
        const client = new Client({ connectionString: url })
        client.on('error', () => {})
        await client.connect().then(
          () => others.push(client),
          () => {},
        )
      }
      assert.equal(others.length, MAX_CONNECTIONS)
      return async () => void (await Promise.all(others.map(client => client.end())))
    },
  },
  {
    name: 'a database that is read-only',
    lastsMs: 3_000,
    isSeen: true,
    async begin({ url }) {
      await run(url, `ALTER DATABASE postgres SET default_transaction_read_only = on; ${END_CONNECTIONS}`)
      // The service's connections from this time stay read-only: it must replace them on its own.
      return () =>
        run(url, 'SET transaction_read_only = off; ALTER DATABASE postgres RESET default_transaction_read_only')
    },
  },
  {
    name: 'a table that another program has locked',
    lastsMs: 4_000,
    isSeen: true,
    async begin({ url }) {
      const client = new Client({ connectionString: url })
      await client.connect()
      // A write of the service may have locked one of them and wait for the other.
      await eventually(() => client.query('ROLLBACK; BEGIN; LOCK TABLE pet, store IN ACCESS EXCLUSIVE MODE'))
      return () => client.end()
    },
  },
]

const END_CONNECTIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore'`

test('every call is answered while the store is down, and nothing acknowledged is lost', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const server = await startPostgres([`max_connections=${MAX_CONNECTIONS}`])
  const service = await startTestService(t, { config: { databaseUrl: server.url, logLevel: 'error' } })
  // After the service, which saves what it has counted.
  t.after(() => server.close())
  const caller = await service.createCaller()
  const clients = new Clients(service, caller)

  for (const fault of FAULTS) {
    await t.test(fault.name, t => endure(t, fault, { server, service, clients }))
  }

  await t.test('every acknowledged animal is there, once', async () => {
    const repeated = await clients.repeatRefused()
    assert.ok(repeated > 0)
    const pets = new Map<string, number[]>()
    for (const { id, name } of await listAll(service, caller)) pets.set(name, [...(pets.get(name) ?? []), id])
    for (const { name, id } of clients.acknowledged) assert.deepEqual(pets.get(name), [id], name)
    for (const [name, ids] of pets) assert.equal(ids.length, 1, `${name} is there once`)
    t.diagnostic(
      `${clients.acknowledged.length} animals acknowledged, ${repeated} of them after a refusal; ${pets.size} there`,
    )
  })
})

test('each refusal of an instance that has lost its database ends its connection, on both listeners', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const server = await startPostgres()
  const service = await startOperatorService(t, { config: { databaseUrl: server.url } })
  t.after(() => server.close())
  const { key } = await service.createCaller()
  const unknown = generateKey('production')
  await server.signal('SIGKILL')
  const [host, operatorHost] = [service.url, service.operatorUrl].map(url => `Host: ${new URL(url).host}`)
  const json = `Content-Type: application/json\r\nContent-Length: ${petJson().length}\r\n\r\n${petJson()}`
  const token = `Authorization: Bearer ${service.admin.token}`
  const calls: [port: number, request: string][] = [
    [service.port, `GET /v1/pets HTTP/1.1\r\n${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`],
    [service.port, `POST /v1/pets HTTP/1.1\r\n${host}\r\nAuthorization: Bearer ${key}\r\n${json}`],
    [service.port, `GET /v1/pets HTTP/1.1\r\n${host}\r\nAuthorization: Bearer ${unknown}\r\n\r\n`],
    [portOf(service.operatorUrl), `GET /admin/v1/pets HTTP/1.1\r\n${operatorHost}\r\n${token}\r\n\r\n`],
    [portOf(service.operatorUrl), `POST /admin/v1/pets HTTP/1.1\r\n${operatorHost}\r\n${token}\r\n${json}`],
  ]
  for (const [port, request] of calls) {
    const connection = await Connection.open(port)
    connection.write(request + request)
    const [answer, ...others] = await connection.answersUntilEnd([firstWord(request)])
    assert.deepEqual([answer?.status, answer?.header('connection'), others], [503, 'close', []], request)
  }
  await server.start()
})

test('a file that cannot be brought or fetched because of an outage gets 503, which its sender retries', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const server = await startPostgres([`max_connections=${MAX_CONNECTIONS}`])
  const service = await startOperatorService(t, { config: { databaseUrl: server.url } })
  const others: Client[] = []
  t.after(async () => {
    await Promise.all(others.map(client => client.end()))
    await server.close()
  })
  // The service knows its caller from connections that are open already. Each file needs a new one.
  for (;;) {
    const client = new Client({ connectionString: server.url })
    try {
      await client.connect()
    } catch {
      break
    }
    others.push(client)
  }
  const file = { type: 'text/csv', body: 'name,categoryId\nRex,1\n' }
  for (const answer of [await service.call('GET', '/pets/export'), await service.call('POST', '/pets/import', file)]) {
    assert.equal(answer.status, 503, answer.text)
    assert.equal(answer.json.code, 'service_unavailable')
  }
})

/** Lets a fault come and go while clients call. */
async function endure(
  t: TestContext,
  fault: Fault,
  { server, service, clients }: { server: PostgresServer; service: TestService; clients: Clients },
): Promise<void> {
  const { calls, stop } = clients.start()
  const count = (status: (one: number) => boolean) => calls.filter(({ answer }) => status(answer.status)).length
  await sleep(300)
  const mend = await fault.begin(server)
  const mendAt = performance.now() + fault.lastsMs
  // On a busy machine, a call may take as long as the fault lasts.
  const isUnseen = () => fault.isSeen && count(status => status === 503) === 0 && performance.now() < mendAt + 10_000
  while (performance.now() < mendAt || isUnseen()) {
    // Otherwise a load balancer would take out all instances, and callers would get no answer.
    assert.equal((await fetch(`${service.operatorUrl}/readyz`)).status, 200)
    await sleep(100)
  }
  await mend()
  await eventually(() => clients.succeed())
  await stop()
  const refused = count(status => status === 503)
  const answered = count(status => status < 300)
  t.diagnostic(`${answered} calls answered, ${refused} refused, ${calls.length - answered - refused} failed`)
  for (const { what, answer } of calls) {
    if (answer.status === 503) {
      assert.equal(answer.json.code, 'service_unavailable')
      assert.match(answer.header('Retry-After') ?? '', /^[1-9][0-9]*$/)
      assert.equal(answer.header('Connection'), 'close')
    } else {
      assert.equal(answer.status, what === 'create' ? 201 : 200, answer.text)
    }
  }
  assert.ok(answered > 0)
  if (fault.isSeen) assert.ok(refused > 0, 'calls were refused')
}

interface MadeCall {
  what: 'list' | 'get' | 'create'
  answer: Answer
}

interface Creation {
  name: string
  idempotencyKey: string | undefined
}

/** Clients that call repeatedly, and record the answers. */
class Clients {
  readonly acknowledged: { name: string; id: number }[] = []
  /** Creations with an idempotency key that were refused: they may have been carried out or not. */
  readonly #refused: Creation[] = []
  readonly #service: TestService
  readonly #key: string
  #made = 0

  constructor(service: TestService, { key }: TestCaller) {
    this.#service = service
    this.#key = key
  }

  /** Returns the calls so far, and a function that stops them, and fails if one of them took too long. */
  start(): { calls: readonly MadeCall[]; stop: () => Promise<unknown> } {
    const calls: MadeCall[] = []
    let isOver = false
    const work = async (client: number) => {
      for (let turn = client; !isOver; turn += 1) {
        calls.push(await inTime(BOUND_MS, 'a call', this.#call(turn)))
        // More calls would show nothing new, and each refused one may cost the server a process.
        await sleep(calls.at(-1)?.answer.status === 503 ? 50 : 20)
      }
    }
    const working = Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(client)))
    // `stop` passes the error on.
    working.catch(() => {})
    const stop = () => {
      isOver = true
      return working
    }
    return { calls, stop }
  }

  /** Passes if each kind of call is carried out. */
  async succeed(): Promise<void> {
    for (const turn of [0, 1, 2, 3]) {
      const { answer } = await this.#call(turn)
      assert.ok(answer.status < 300, answer.text)
    }
  }

  /** Repeats the refused creations: each creates one animal, now or earlier. Returns how many there were. */
  async repeatRefused(): Promise<number> {
    const refused = this.#refused.splice(0)
    for (const creation of refused) {
      const answer = await this.#create(creation)
      assert.equal(answer.status, 201, answer.text)
    }
    return refused.length
  }

  async #call(turn: number): Promise<MadeCall> {
    const key = this.#key
    const known = this.acknowledged.at(-1)
    switch (turn % 4) {
      case 0:
        return { what: 'list', answer: await call(this.#service, { path: '/v1/pets?limit=5', key }) }
      case 1:
        if (known) return { what: 'get', answer: await call(this.#service, { path: `/v1/pets/${known.id}`, key }) }
    }
    this.#made += 1
    const idempotencyKey = turn % 4 === 2 ? `creation-${this.#made}` : undefined
    return { what: 'create', answer: await this.#create({ name: crypto.randomUUID(), idempotencyKey }) }
  }

  async #create(creation: Creation): Promise<Answer> {
    const { name, idempotencyKey } = creation
    const headers: Record<string, string> = idempotencyKey ? { 'Idempotency-Key': idempotencyKey } : {}
    const body = JSON.stringify({ name, categoryId: 7 })
    const answer = await call(this.#service, { method: 'POST', path: '/v1/pets', key: this.#key, headers, body })
    if (answer.status === 201) this.acknowledged.push({ name, id: answer.json.id })
    else if (idempotencyKey) this.#refused.push(creation)
    return answer
  }
}

async function listAll(service: TestService, { key }: TestCaller): Promise<{ id: number; name: string }[]> {
  const pets: { id: number; name: string }[] = []
  for (let path: string | undefined = '/v1/pets?limit=100'; path; ) {
    const answer: Answer = await call(service, { path, key })
    assert.equal(answer.status, 200, answer.text)
    pets.push(...answer.json)
    path = /<[^>]*(\/v1\/pets\?[^>]*)>; rel="next"/.exec(answer.header('Link') ?? '')?.[1]
  }
  return pets
}

/** Runs SQL repeatedly on one connection. */
async function repeat(url: string, sql: () => string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  let isOver = false
  const working = (async () => {
    while (!isOver) await client.query(sql())
  })()
  return async () => {
    isOver = true
    await working
    await client.end()
  }
}

async function run(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(sql)
  await client.end()
}
