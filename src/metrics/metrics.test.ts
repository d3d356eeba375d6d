import assert from 'node:assert/strict'
import { once } from 'node:events'
import { METHODS, request } from 'node:http'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { eventually } from '../../test/support/eventually.ts'
import { rawCall } from '../../test/support/raw.ts'
import { parseScrape, type Series, sumOf } from '../../test/support/scrape.ts'
import type { Caller } from '../domain/account.ts'
import { limitsOf, PLANS, type Plan } from '../domain/plan.ts'
import { bannedDecision, type Decision, spend } from '../domain/rate-limiter.ts'
import { jsonAnswer } from '../http/answer.ts'
import { readBody } from '../http/body.ts'
import { Listener } from '../http/listener.ts'
import { Refusal } from '../http/refusal.ts'
import { serveCalls } from '../http/server.ts'
import { PublicCall } from '../public/call.ts'
import { ERRORS, type ErrorCode, PUBLIC_ERRORS } from '../schema/error-codes.ts'
import { Metrics } from './metrics.ts'

const REQUESTS = 'petstore_http_requests_total'
const DURATION = 'petstore_http_request_duration_seconds'
const CALLS = 'petstore_calls_total'

/** The outcome of a call, which the test sends in a header. */
interface Course {
  operation?: string
  plan?: Plan
  outcome?: Decision['outcome']
  status?: number
  code?: ErrorCode
  afterMs?: number
}

test('exactly the given operations are counted by name', async t => {
  const metrics = new Metrics()
  t.after(() => metrics.close())
  const answered = metrics.buildPublicAnswered(['listCategories'])
  for (const operation of ['listCategories', 'listPets']) {
    answered({ operation, startedAt: performance.now() } as PublicCall, 200)
  }
  const scrape = await scrapeOf(metrics)
  assert.equal(sumOf(scrape, REQUESTS, { operation: 'listCategories', status: '200' }), 1)
  assert.equal(sumOf(scrape, REQUESTS, { operation: 'none', status: '200' }), 1)
})

test('a call is counted by its operation and its status', async t => {
  const { metrics, call } = await serve(t)
  await call({ operation: 'listPets', status: 200 })
  await call({ operation: 'listPets', status: 200 })
  await call({ operation: 'createPet', status: 201 })
  await call({ operation: 'getPet', code: 'pet_not_found' })
  await call({ code: 'route_not_found' })
  const scrape = await scrapeOf(metrics)
  assert.equal(sumOf(scrape, REQUESTS, { operation: 'listPets', status: '200' }), 2)
  assert.equal(sumOf(scrape, REQUESTS, { operation: 'createPet', status: '201' }), 1)
  assert.equal(sumOf(scrape, REQUESTS, { operation: 'getPet', status: '404' }), 1)
  assert.equal(sumOf(scrape, REQUESTS, { operation: 'none', status: '404' }), 1)
  assert.equal(sumOf(scrape, REQUESTS), 5)
})

test('the duration of a call is in every bucket that it fits into, and in the sum', async t => {
  const { metrics, call } = await serve(t)
  await call({ operation: 'listPets', status: 200, afterMs: 60 })
  await call({ operation: 'getPet', status: 200 })
  const scrape = await scrapeOf(metrics)
  const list = (le: string) => sumOf(scrape, `${DURATION}_bucket`, { operation: 'listPets', le })
  assert.equal(list('0.05'), 0)
  assert.equal(list('10'), 1)
  assert.equal(list('+Inf'), 1)
  assert.equal(sumOf(scrape, `${DURATION}_count`, { operation: 'listPets' }), 1)
  const sum = sumOf(scrape, `${DURATION}_sum`, { operation: 'listPets' }) ?? 0
  assert.ok(sum >= 0.058 && sum < 10, `${sum} s`)
  assert.equal(sumOf(scrape, `${DURATION}_count`, { operation: 'getPet' }), 1)
  assert.equal(sumOf(scrape, `${DURATION}_count`, { operation: 'createPet' }), 0)
})

test('bucket values never decrease, and the last equals the count', async t => {
  const { metrics, call } = await serve(t)
  for (const afterMs of [0, 0, 3, 12, 30]) await call({ operation: 'listPets', status: 200, afterMs })
  const scrape = await scrapeOf(metrics)
  const buckets = scrape.filter(({ name, labels }) => name === `${DURATION}_bucket` && labels.operation === 'listPets')
  const bounds = buckets.map(({ labels }) => Number(labels.le?.replace('+Inf', 'Infinity')))
  assert.deepEqual(
    bounds,
    bounds.toSorted((one, other) => one - other),
  )
  const values = buckets.map(({ value }) => value)
  assert.deepEqual(
    values,
    values.toSorted((one, other) => one - other),
  )
  assert.equal(values.at(-1), 5)
})

test('a call with a valid key is counted by plan and outcome, whatever the response', async t => {
  const { metrics, call } = await serve(t)
  await call({ operation: 'listPets', plan: 'pro', outcome: 'admitted', status: 200 })
  await call({ operation: 'getPet', plan: 'pro', outcome: 'admitted', code: 'pet_not_found' })
  await call({ operation: 'listPets', plan: 'free', outcome: 'refused', code: 'rate_limit_exceeded' })
  await call({ operation: 'listPets', plan: 'enterprise', outcome: 'banned', code: 'api_key_banned' })
  const scrape = await scrapeOf(metrics)
  assert.equal(sumOf(scrape, CALLS, { plan: 'pro', outcome: 'admitted' }), 2)
  assert.equal(sumOf(scrape, CALLS, { plan: 'free', outcome: 'refused' }), 1)
  assert.equal(sumOf(scrape, CALLS, { plan: 'enterprise', outcome: 'banned' }), 1)
  assert.equal(sumOf(scrape, CALLS), 4)
  assert.equal(sumOf(scrape, 'petstore_anonymous_refused_total'), 0)
})

test('a call without a valid key has no plan, and counts as refused once its address is over its limit', async t => {
  const { metrics, call } = await serve(t)
  await call({ outcome: 'admitted', code: 'missing_api_key' })
  await call({ outcome: 'refused', code: 'rate_limit_exceeded' })
  const scrape = await scrapeOf(metrics)
  assert.equal(sumOf(scrape, 'petstore_anonymous_refused_total'), 1)
  assert.equal(sumOf(scrape, CALLS), 0)
})

test('bytes that are not a request are counted by error code, not as calls', async t => {
  const { metrics, port } = await serve(t)
  await rawCall(port, 'nonsense\r\n\r\n')
  await rawCall(port, 'GET / HTTP/1.1\r\nX: nonsense\u0001\r\n\r\n')
  await rawCall(port, `GET /${'a'.repeat(20_000)}`)
  const scrape = await scrapeOf(metrics)
  assert.equal(sumOf(scrape, 'petstore_connections_refused_total', { code: 'malformed_request' }), 2)
  assert.equal(sumOf(scrape, 'petstore_connections_refused_total', { code: 'uri_too_long' }), 1)
  assert.equal(sumOf(scrape, REQUESTS), 0)
})

test('bytes that are not a request, from an address over its limit, also count as an anonymous refusal', async t => {
  const { metrics, port } = await serve(t, { refuseAs: 'rate_limit_exceeded' })
  await rawCall(port, 'nonsense\r\n\r\n')
  const scrape = await scrapeOf(metrics)
  assert.equal(sumOf(scrape, 'petstore_connections_refused_total', { code: 'rate_limit_exceeded' }), 1)
  assert.equal(sumOf(scrape, 'petstore_anonymous_refused_total'), 1)
})

test('a client that disconnects before the response is counted as such, without a duration', async t => {
  const { metrics, port, server } = await serve(t)
  const arrived = once(server, 'request')
  const socket = connect(port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc')
  await arrived
  socket.resetAndDestroy()
  const scrape = await eventually(async () => {
    const current = await scrapeOf(metrics)
    assert.equal(sumOf(current, REQUESTS, { operation: 'none', status: 'gone' }), 1)
    return current
  })
  assert.equal(sumOf(scrape, `${DURATION}_count`), 0)
})

test('client input never creates a new series', async t => {
  const { metrics, call, operatorAnswered } = await serve(t)
  const known = await knownSeries(metrics)
  for (const method of METHODS.filter(name => name !== 'CONNECT')) {
    await call({ operation: `odd ${method}`, status: 599 }, { method, path: `/${method}/${Math.random()}` })
  }
  for (const status of [200, 299, 300, 418, 451, 499, 511, 599, 999]) await call({ operation: 'listPets', status })
  for (const operation of ['__proto__', 'constructor', 'none', '', 'a"b\\c\nd']) await call({ operation, status: 200 })
  await call({ plan: 'gold' as Plan, outcome: 'postponed' as 'refused', status: 200 })
  for (const code of Object.keys(ERRORS) as ErrorCode[]) metrics.connectionRefused(new Refusal(code, 'any'))
  operatorAnswered({ operation: 'dropEverything' } as PublicCall, 12_345)

  const scrape = await scrapeOf(metrics)
  const added = scrape.filter(series => !known.has(keyOf(series))).map(keyOf)
  assert.deepEqual(added.toSorted(), [
    'petstore_calls_total plan=other outcome=other',
    'petstore_connections_refused_total code=other',
    'petstore_http_requests_total operation=listPets status=200',
    'petstore_http_requests_total operation=listPets status=other',
    'petstore_http_requests_total operation=none status=200',
    'petstore_http_requests_total operation=none status=other',
    'petstore_operator_requests_total operation=none status=other',
  ])
})

test('the number of series is limited, even after everything has happened', async t => {
  const { metrics, publicAnswered, operatorAnswered } = await serve(t)
  const decision = decisionOf('admitted')
  for (const operation of ['listPets', 'createPet', 'getPet', undefined, 'listAccounts', 'more']) {
    for (let status = 100; status < 1_000; status++) {
      for (const plan of PLANS) {
        const call = { operation, caller: callerOn(plan), decision, startedAt: performance.now() } as PublicCall
        publicAnswered(call, status)
        operatorAnswered(call, status)
      }
    }
  }
  const scrape = await scrapeOf(metrics)
  const statuses = new Set([200, 201, 204, 304, 308, ...Object.values(ERRORS)]).size + 1
  assert.equal(scrape.filter(({ name }) => name === REQUESTS).length, 4 * statuses)
  assert.equal(scrape.filter(({ name }) => name === 'petstore_operator_requests_total').length, 2 * statuses)
  assert.equal(scrape.filter(({ name }) => name === CALLS).length, PLANS.length * 3)
})

test('every status of the public API has its own series', async t => {
  const { metrics, call } = await serve(t)
  for (const code of Object.keys(PUBLIC_ERRORS) as ErrorCode[]) await call({ operation: 'listPets', code })
  for (const status of [200, 201, 204, 304, 308]) await call({ operation: 'listPets', status })
  assert.equal(sumOf(await scrapeOf(metrics), REQUESTS, { status: 'other' }), undefined)
})

test('series that alerts use are 0 from the start', async t => {
  const { metrics } = await serve(t)
  const scrape = await scrapeOf(metrics)
  for (const plan of PLANS) {
    for (const outcome of ['admitted', 'refused', 'banned']) {
      assert.equal(sumOf(scrape, CALLS, { plan, outcome }), 0, `${plan}, ${outcome}`)
    }
  }
  for (const operation of ['listPets', 'createPet', 'getPet', 'none']) {
    assert.equal(sumOf(scrape, REQUESTS, { operation, status: '500' }), 0)
    assert.equal(sumOf(scrape, REQUESTS, { operation, status: '503' }), 0)
    assert.equal(sumOf(scrape, `${DURATION}_count`, { operation }), 0)
  }
  for (const name of [
    'anonymous_refused',
    'store_errors',
    'limiter_errors',
    'limiter_alone_decisions',
    'backup_errors',
  ]) {
    assert.equal(sumOf(scrape, `petstore_${name}_total`), 0, name)
  }
  for (const name of ['limiter_alone', 'store_push_lost', 'backup_timestamp_seconds', 'backup_interval_seconds'])
    assert.equal(sumOf(scrape, `petstore_${name}`), 0, name)
})

test('commits are counted by number of writes and duration', async t => {
  const { metrics } = await serve(t)
  metrics.committed(1, 0.4)
  metrics.committed(54, 8)
  const scrape = await scrapeOf(metrics)
  assert.equal(sumOf(scrape, 'petstore_store_commit_writes_sum'), 55)
  assert.equal(sumOf(scrape, 'petstore_store_commit_writes_bucket', { le: '32' }), 1)
  assert.equal(sumOf(scrape, 'petstore_store_commit_writes_bucket', { le: '64' }), 2)
  assert.equal(sumOf(scrape, 'petstore_store_commit_duration_seconds_bucket', { le: '0.0005' }), 1)
  assert.equal(sumOf(scrape, 'petstore_store_commit_duration_seconds_bucket', { le: '0.01' }), 2)
  assert.equal(sumOf(scrape, 'petstore_store_commit_duration_seconds_count'), 2)
})

test('errors of the store and of the limiter are counted separately', async t => {
  const { metrics } = await serve(t)
  metrics.storeFailed()
  metrics.storeFailed()
  metrics.limiterErrors.inc()
  const scrape = await scrapeOf(metrics)
  assert.equal(sumOf(scrape, 'petstore_store_errors_total'), 2)
  assert.equal(sumOf(scrape, 'petstore_limiter_errors_total'), 1)
})

test('counting without Redis, calls counted that way and the lost lease have separate metrics', async t => {
  const { metrics } = await serve(t)
  const values = async () => {
    const scrape = await scrapeOf(metrics)
    return ['limiter_alone', 'limiter_alone_decisions_total', 'store_push_lost'].map(name =>
      sumOf(scrape, `petstore_${name}`),
    )
  }
  metrics.limiterAlone.set(1)
  metrics.decidedAlone.inc()
  metrics.decidedAlone.inc()
  assert.deepEqual(await values(), [1, 2, 0])
  metrics.leaseLost.set(1)
  metrics.limiterAlone.set(0)
  assert.deepEqual(await values(), [0, 2, 1])
  metrics.leaseLost.set(0)
  assert.deepEqual(await values(), [0, 2, 0])
})

test("the operators' calls are counted separately from public calls", async t => {
  const { metrics, operatorAnswered } = await serve(t)
  operatorAnswered({ operation: 'listAccounts' } as PublicCall, 200)
  operatorAnswered({ operation: undefined } as PublicCall, 401)
  const scrape = await scrapeOf(metrics)
  const name = 'petstore_operator_requests_total'
  assert.equal(sumOf(scrape, name, { operation: 'listAccounts', status: '200' }), 1)
  assert.equal(sumOf(scrape, name, { operation: 'none', status: '401' }), 1)
  assert.equal(sumOf(scrape, REQUESTS), 0)
})

test('a blocked event loop shows in its delay, until measuring is stopped', async t => {
  const { metrics } = await serve(t)
  const late = async () => {
    const scrape = await scrapeOf(metrics)
    const total = sumOf(scrape, 'petstore_event_loop_delay_seconds_count') ?? 0
    return total - (sumOf(scrape, 'petstore_event_loop_delay_seconds_bucket', { le: '0.1' }) ?? 0)
  }
  block(300)
  const before = await eventually(async () => {
    const times = await late()
    assert.ok(times >= 1)
    return times
  })
  metrics.close()
  block(300)
  await sleep(50)
  assert.equal(await late(), before)
})

test('several services in one process count separately', async t => {
  const one = await serve(t)
  const other = await serve(t)
  await one.call({ operation: 'listPets', status: 200 })
  assert.equal(sumOf(await scrapeOf(one.metrics), REQUESTS), 1)
  assert.equal(sumOf(await scrapeOf(other.metrics), REQUESTS), 0)
})

test('the process metrics show version, start, memory, CPU time and files', async t => {
  const { metrics } = await serve(t)
  metrics.showBuild({ version: '1.2.3', commit: null })
  const scrape = await scrapeOf(metrics)
  assert.equal(sumOf(scrape, 'petstore_build_info', { version: '1.2.3', node: process.version }), 1)
  const startedAt = sumOf(scrape, 'process_start_time_seconds') ?? 0
  assert.ok(Math.abs(Date.now() / 1_000 - process.uptime() - startedAt) < 5, `${startedAt}`)
  assert.ok((sumOf(scrape, 'process_resident_memory_bytes') ?? 0) > 10_000_000)
  assert.ok((sumOf(scrape, 'nodejs_heap_size_used_bytes') ?? 0) > 1_000_000)
  const used = process.cpuUsage()
  const seconds = sumOf(scrape, 'process_cpu_seconds_total') ?? 0
  assert.ok(seconds > 0 && seconds <= (used.user + used.system) / 1e6, `${seconds} s`)
  if (process.platform !== 'linux') return
  const open = sumOf(scrape, 'process_open_fds') ?? 0
  assert.ok(open > 3 && open < (sumOf(scrape, 'process_max_fds') ?? 0), `${open}`)
})

test('CPU time does not grow by being read', async t => {
  const { metrics } = await serve(t)
  for (let reading = 0; reading < 20; reading++) await metrics.text()
  const used = process.cpuUsage()
  const seconds = sumOf(await scrapeOf(metrics), 'process_cpu_user_seconds_total') ?? 0
  assert.ok(seconds < used.user / 1e6 + 1, `${seconds} s`)
})

test('the text has the format of Prometheus', async t => {
  const { metrics } = await serve(t)
  assert.match(metrics.contentType, /^text\/plain; version=0\.0\.4/)
  assert.match(await metrics.text(), /^# TYPE petstore_http_request_duration_seconds histogram$/m)
})

/** A real server that handles each call as its header says, and counts it. */
async function serve(t: TestContext, { refuseAs }: { refuseAs?: ErrorCode } = {}) {
  const metrics = new Metrics()
  t.after(() => metrics.close())
  const publicAnswered = metrics.buildPublicAnswered(['listPets', 'createPet', 'getPet'])
  const operatorAnswered = metrics.buildOperatorAnswered(['listAccounts'])
  const listener = new Listener()
  const url = await listener.open('127.0.0.1', 0)
  t.after(() => listener.close())
  serveCalls(listener, {
    api: {
      Call: PublicCall,
      answer: follow,
      linesOf: () => '',
      onIncomplete: (_, refusal, refuse) => refuse(refusal),
      onUnparsed: (_, refusal) => ({ refusal: refuseAs ? new Refusal(refuseAs, 'Enough.') : refusal, lines: '' }),
    },
    log: pino({ level: 'silent' }),
    onAnswered: publicAnswered,
    onConnectionRefused: refusal => metrics.connectionRefused(refusal),
    isStopping: () => false,
    now: Date.now,
  })
  const call = (course: Course, { method = 'GET', path = '/' } = {}): Promise<void> =>
    new Promise((resolve, reject) => {
      const headers = { 'X-Course': encodeURIComponent(JSON.stringify(course)) }
      request(url + path, { method, headers, agent: false }, response => response.resume().on('end', resolve))
        .on('error', reject)
        .end()
    })
  return { metrics, publicAnswered, operatorAnswered, call, server: listener.server, port: Number(new URL(url).port) }
}

async function follow(call: PublicCall) {
  const course = call.request.headers['x-course']
  if (typeof course !== 'string') return jsonAnswer(200, String(await readBody(call)), [])
  const { operation, plan, outcome, status = 200, code, afterMs = 0 }: Course = JSON.parse(decodeURIComponent(course))
  call.operation = operation
  if (plan) call.caller = callerOn(plan)
  if (outcome) call.decision = decisionOf(outcome)
  if (afterMs > 0) await sleep(afterMs)
  if (code) throw new Refusal(code, 'As requested.')
  return jsonAnswer(status, '', [])
}

function callerOn(plan: Plan): Caller {
  return { keyId: 1n, accountId: 1n, plan } as Caller
}

function decisionOf(outcome: Decision['outcome']): Decision {
  const now = Date.now()
  const { decision } = spend({}, limitsOf('free'), now)
  return outcome === 'banned' ? bannedDecision(decision.windows, now + 1_000, now) : { ...decision, outcome }
}

async function scrapeOf(metrics: Metrics): Promise<Series[]> {
  return parseScrape(await metrics.text())
}

async function knownSeries(metrics: Metrics): Promise<Set<string>> {
  return new Set((await scrapeOf(metrics)).map(keyOf))
}

function keyOf({ name, labels }: Series): string {
  return [name, ...Object.entries(labels).map(([label, value]) => `${label}=${value}`)].join(' ')
}

function block(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}
