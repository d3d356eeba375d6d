import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../test/fake-clock.ts'
import { type Fault, ModelNetwork, type Trip } from '../test/model-network.ts'
import { ModelService } from '../test/model-service.ts'
import { BannedError, PetstoreError, RateLimitError, ServiceError, TimeoutError } from './errors.ts'
import { Gate } from './gate.ts'
import { DEFAULT_MAX_WAIT_MS } from './retry.ts'
import { Transport } from './transport.ts'

const LIST = { method: 'GET', path: '/pets' } as const
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DEFAULTS = {
  baseUrl: 'https://petstore.example/v1',
  maxRetries: Number.POSITIVE_INFINITY,
  maxWaitMs: DEFAULT_MAX_WAIT_MS,
  hooks: {},
}
const QUICK: Trip = { toServiceMs: 20, backMs: 20 }

/** A process that calls the service over its own network. */
function connect(clock: FakeClock, service: ModelService, nextTrip: () => Trip = () => QUICK, share = 0) {
  const network = new ModelNetwork(clock, service, nextTrip)
  const random = () => share
  const gate = new Gate(clock, random)
  const options = { apiKey: '', fetch: network.fetch, gate, clock, random }
  const transport = (isPaced: boolean) =>
    new Transport({ ...options, isPaced, ...DEFAULTS, timeoutMs: 90_000, attemptTimeoutMs: 30_000 })
  return { gate, network, unpaced: transport(false), paced: transport(true) }
}

const trips = (longestMs: number, faults: Fault[]) =>
  fc.record({
    toServiceMs: fc.integer({ min: 1, max: longestMs }),
    backMs: fc.nat(longestMs),
    fault: fc.option(fc.constantFrom(...faults), { freq: 8, nil: undefined }),
  })
const FAULTS: Fault[] = ['request lost', 'answer lost', '502', '503']
/** @param patienceMs how long each waits for an answer at least */
const callers = (patienceMs: number) =>
  fc.array(
    fc.record({
      startsAt: fc.nat(70_000),
      calls: fc.integer({ min: 1, max: 5 }),
      pauseMs: fc.nat(3_000),
      isPaced: fc.boolean(),
      timeoutMs: fc.integer({ min: patienceMs, max: 200_000 }),
      abortsAfterMs: fc.option(fc.integer({ min: patienceMs, max: 100_000 }), { freq: 5, nil: undefined }),
    }),
    { minLength: 1, maxLength: 32 },
  )
const shared = {
  perMinute: fc.integer({ min: 1, max: 40 }),
  share: fc.double({ min: 0.1, max: 0.99, noNaN: true }),
}
/** If no other process uses the account, answers may be late. */
const alone = fc.record({
  ...shared,
  callers: callers(0),
  processes: fc.constant(1),
  others: fc.constant([]),
  trips: fc.array(trips(3_000, [...FAULTS, 'hangs']), { minLength: 1 }),
})
/** If others use the account, a refusal must arrive within a second, and its caller must still be waiting for it. */
const amongOthers = fc.record({
  ...shared,
  callers: callers(1_000),
  processes: fc.integer({ min: 1, max: 2 }),
  others: fc.array(fc.record({ at: fc.nat(200_000), calls: fc.integer({ min: 1, max: 40 }) }), { maxLength: 5 }),
  trips: fc.array(trips(200, FAULTS), { minLength: 1 }),
})

test('whatever happens to requests, none is sent too early or beyond the remaining calls, every call ends in time, and no ban is earned', async () => {
  const property = fc.asyncProperty(fc.oneof(alone, amongOthers), async scenario => {
    const clock = new FakeClock()
    const service = new ModelService({ perMinute: scenario.perMinute, perDay: 1_000 })
    for (const { at, calls } of scenario.others) {
      clock.after(at, () => Array.from({ length: calls }, () => service.spend(clock.now())))
    }
    let trip = 0
    const nextTrip = () => scenario.trips[trip++ % scenario.trips.length] ?? QUICK
    const processes = Array.from({ length: scenario.processes }, () =>
      connect(clock, service, nextTrip, scenario.share),
    )
    const late: unknown[] = []
    const ends = scenario.callers.map(
      async ({ startsAt, calls, pauseMs, isPaced, timeoutMs, abortsAfterMs }, index) => {
        const { paced, unpaced } = processes[index % processes.length] ?? connect(clock, service)
        await clock.reach(startsAt)
        for (let call = 0; call < calls; call += 1) {
          const deadline = clock.now() + Math.min(timeoutMs, abortsAfterMs ?? timeoutMs)
          const stop = new AbortController()
          const cancel = abortsAfterMs === undefined ? () => {} : clock.after(abortsAfterMs, () => stop.abort(STOPPED))
          await (isPaced ? paced : unpaced).call(LIST, { timeoutMs, signal: stop.signal }).catch(error => {
            if (error !== STOPPED && !(error instanceof PetstoreError)) throw error
            if (error === STOPPED && clock.now() !== deadline) late.push('stopped at another time')
          })
          if (clock.now() > deadline) late.push(clock.now() - deadline)
          cancel()
          await clock.reach(clock.now() + pauseMs)
        }
      },
    )
    const all = Promise.all(ends)
    all.catch(() => {})
    await clock.run()
    await all
    assert.deepEqual(late, [])
    for (const { network } of processes) assert.deepEqual(network.violations, [])
    assert.equal(service.bans, 0, 'no ban')
    assert.equal(clock.left, 0)
  })
  await fc.assert(property, { numRuns: 60 })
})

const STOPPED = new Error('stopped')

test('of many parallel calls, as many are sent as remain, the others after the reset, and none is refused', async () => {
  const clock = new FakeClock()
  const { network, unpaced } = connect(clock, new ModelService({ perMinute: 5, perDay: 1_000 }))
  const calls = Promise.all(Array.from({ length: 8 }, () => unpaced.call(LIST)))
  await clock.run()
  await calls
  assert.deepEqual(network.statuses, Array(8).fill(200))
  assert.deepEqual(network.sentAt, [0, 40, 40, 40, 40, 60_040, 60_080, 60_080], 'one call goes ahead')
})

test('a key that is refused again and again waits for Retry-After, and longer by one, two, four, at most five minutes', async () => {
  const clock = new FakeClock()
  const service = new ModelService({ perMinute: 1, perDay: 1_000 })
  const { network, unpaced } = connect(clock, service, () => ({ toServiceMs: 0, backMs: 0 }), 0.5)
  // Another key of the account is always first.
  for (let at = 0; at < HOUR_MS; at += 500) clock.after(at, () => service.spend(clock.now()))
  const call = unpaced.call(LIST, { timeoutMs: 2 * HOUR_MS })
  await clock.run()
  await call
  assert.equal(network.statuses.pop(), 200)
  const added = network.sentAt.slice(1).map((at, index) => {
    const last = network.sentAt[index] ?? 0
    const given = Math.ceil((60_000 - (last % 60_000)) / 1_000) * 1_000
    return at - last - given
  })
  assert.deepEqual(
    added.slice(0, 6).map(ms => ms - 500),
    [0, 60_000, 120_000, 240_000, 300_000, 300_000],
  )
  assert.equal(Math.max(...added), 300_500)
})

test('processes that share a key, while another key is always first, earn no ban', async () => {
  for (const count of [2, 3, 4]) {
    const clock = new FakeClock()
    const service = new ModelService({ perMinute: 10, perDay: 100_000 })
    const end = 20 * 60_000
    for (let at = 0; at < end; at += 250) clock.after(at, () => service.spend(clock.now()))
    const shares = [0.1, 0.9, 0.3, 0.6].slice(0, count)
    const callers = shares.map(async (share, index) => {
      const { unpaced } = connect(clock, service, () => QUICK, share)
      await clock.reach(700 * index)
      while (clock.now() < end) await unpaced.call(LIST, { timeoutMs: DAY_MS })
    })
    await clock.run()
    await Promise.all(callers)
    assert.equal(service.bans, 0, `${count} processes`)
  }
})

test('a refusal without Retry-After, after one with it, is waited for like any other', async () => {
  for (const seconds of [undefined, 0]) {
    const clock = new FakeClock()
    const sentAt: number[] = []
    const fetch = async () => {
      sentAt.push(clock.now())
      const given = sentAt.length === 1 ? 1 : seconds
      const headers = given === undefined ? {} : { 'retry-after': String(given) }
      const refusal = '{"code":"rate_limit_exceeded","message":"","status":429}'
      return sentAt.length < 6 ? new Response(refusal, { status: 429, headers }) : new Response('[]')
    }
    const random = () => 0
    const gate = new Gate(clock, random)
    const options = { ...DEFAULTS, apiKey: '', timeoutMs: HOUR_MS, attemptTimeoutMs: HOUR_MS, isPaced: false, random }
    const call = new Transport({ ...options, fetch, gate, clock }).call(LIST)
    await clock.run()
    await call
    assert.deepEqual(sentAt, [0, 1_000, 2_000, 4_000, 8_000, 16_000])
  }
})

test('a hanging call does not hold others back beyond the end of the window', async () => {
  const clock = new FakeClock()
  const faults: (Fault | undefined)[] = [undefined, 'hangs']
  const { network, unpaced } = connect(clock, new ModelService({ perMinute: 2, perDay: 1_000 }), () => {
    return { ...QUICK, fault: faults.shift() }
  })
  const callAt = (at: number) => clock.reach(at).then(() => unpaced.call(LIST, { timeoutMs: 20_000 }))
  const calls = [callAt(0), callAt(55_000).catch(() => {}), callAt(56_000)]
  await clock.run()
  await Promise.all(calls)
  assert.deepEqual(network.sentAt, [0, 55_000, 60_040])
})

test('calls that are refused together count as one refusal', async () => {
  const clock = new FakeClock()
  const service = new ModelService({ perMinute: 50, perDay: 1_000 })
  const { network, unpaced } = connect(clock, service, () => QUICK, 0.5)
  await Promise.all([unpaced.call(LIST), clock.run()])
  for (let calls = 0; calls < 49; calls += 1) service.spend(clock.now())
  const calls = Promise.all(Array.from({ length: 8 }, () => unpaced.call(LIST)))
  await clock.run()
  await calls
  assert.deepEqual(network.statuses.slice(1, 9), Array(8).fill(429))
  assert.equal((network.sentAt[9] ?? 0) - (network.sentAt[8] ?? 0), 40 + 60_000 + 500)
})

test('a long wait for the day or a ban adds nothing to the wait after the next refusal', async () => {
  for (const exhaust of ['day', 'ban'] as const) {
    const clock = new FakeClock()
    const service = new ModelService({ perMinute: 2, perDay: exhaust === 'day' ? 2 : 1_000 })
    const { network, unpaced } = connect(clock, service)
    if (exhaust === 'ban') service.ban(clock.now())
    else for (let calls = 0; calls < 2; calls += 1) service.spend(clock.now())
    const opensAt = exhaust === 'ban' ? 900_000 : DAY_MS
    service.limits = { perMinute: 2, perDay: exhaust === 'day' ? 2 : 1_000 }
    clock.after(opensAt - 10, () => {
      service.limits = { perMinute: 1, perDay: 1_000 }
    })
    // Others take the minute.
    clock.after(opensAt + 1, () => service.spend(clock.now()))
    const call = unpaced.call(LIST, { timeoutMs: 2 * DAY_MS })
    await clock.run()
    await call
    assert.deepEqual(network.statuses, [429, 429, 200])
    const [, second = 0, third = 0] = network.sentAt
    assert.ok(second >= opensAt && second < opensAt + 100, `${second}`)
    assert.ok(third - second <= 121_000, `${third - second} ms after ${exhaust}`)
  }
})

test('refusals without Retry-After are waited for longer each time, with one call at a time, and earn no ban in ten minutes', async () => {
  const clock = new FakeClock()
  const service = new ModelService({ perMinute: 20, perDay: 1_000 })
  const { network, unpaced } = connect(clock, service, () => ({ ...QUICK, fault: 'bare' }))
  const callers = Array.from({ length: 8 }, async () => {
    while (clock.now() < 600_000) await unpaced.call(LIST, { timeoutMs: 1_000_000 })
  })
  await clock.run()
  await Promise.all(callers)
  assert.equal(service.bans, 0)
  assert.ok(network.statuses.filter(status => status === 200).length > 80)
})

test('if refusals never have Retry-After, calls are tried less and less often, but at least every five minutes', async () => {
  const clock = new FakeClock()
  const service = new ModelService({ perMinute: 1_000, perDay: 1 })
  const { network, unpaced } = connect(clock, service, () => ({ ...QUICK, fault: 'bare' }))
  service.spend(clock.now())
  const inTime = { timeoutMs: 2 * DAY_MS }
  const calls = unpaced.call(LIST, inTime).then(() => unpaced.call(LIST, inTime))
  await clock.run()
  await calls
  const pauses = network.sentAt.slice(1).map((at, index) => at - 40 - (network.sentAt[index] ?? 0))
  assert.equal(pauses[network.statuses.indexOf(200) + 1], 60_000, 'after a call that was admitted')
  assert.deepEqual(
    pauses.slice(0, 11).map(pause => Math.round(pause / 1_000)),
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300],
  )
  assert.equal(Math.max(...pauses), 300_000)
  assert.equal(service.bans, 0)
})

test('a call that cannot wait for the reset is rejected at once; one that can is sent', async () => {
  const clock = new FakeClock()
  const { network, unpaced } = connect(clock, new ModelService({ perMinute: 1, perDay: 1_000 }))
  const failures: unknown[] = []
  const calls = unpaced.call(LIST).then(async () => {
    const patient = unpaced.call(LIST, { timeoutMs: 60_100 })
    await unpaced.call(LIST, { timeoutMs: 60_000 }).catch(error => failures.push(error, clock.now()))
    return patient
  })
  await clock.run()
  await calls
  const [error, at] = failures
  assert.ok(error instanceof RateLimitError)
  assert.equal(Number(error.retryAt), 60_040)
  assert.equal(at, 40)
  assert.equal(network.sentAt.length, 2)
})

test('a call that was refused itself rejects with that refusal, and the time at which the gate opens', async () => {
  const clock = new FakeClock()
  const service = new ModelService({ perMinute: 1, perDay: 1_000 })
  const { unpaced } = connect(clock, service, () => QUICK, 0.5)
  service.spend(clock.now())
  const call = unpaced.call(LIST, { timeoutMs: 1_000 }).then(null, error => error)
  await clock.run()
  const error: unknown = await call
  assert.ok(error instanceof RateLimitError)
  assert.match(error.message, /^The limit of 1 calls? per minute/)
  assert.match(String(error.requestId), /^[0-9a-f]{32}$/)
  assert.equal(Number(error.retryAt), 40 + 60_000 + 500)
})

test('a ban is waited for even if it is lifted, and says nothing about the remaining calls', async () => {
  const clock = new FakeClock()
  const service = new ModelService({ perMinute: 5, perDay: 1_000 })
  const { network, unpaced } = connect(clock, service)
  service.ban(clock.now())
  const failures: unknown[] = []
  const calls = unpaced.call(LIST).catch(async error => {
    failures.push(error)
    service.liftBan()
    await unpaced.call(LIST).catch(again => failures.push(again))
    return unpaced.call(LIST, { timeoutMs: 1_000_000 })
  })
  await clock.run()
  await calls
  assert.ok(failures.length === 2 && failures.every(error => error instanceof BannedError))
  assert.deepEqual(network.sentAt, [0, 900_040])
})

test('when the service says when it will be back, all calls wait until then', async () => {
  const clock = new FakeClock()
  const faults: (Fault | undefined)[] = ['503']
  const { network, unpaced } = connect(clock, new ModelService({ perMinute: 50, perDay: 1_000 }), () => {
    return { ...QUICK, fault: faults.shift() }
  })
  const impatient = (at: number) =>
    clock.reach(at).then(() => unpaced.call(LIST, { timeoutMs: 1_000 }).catch(error => error))
  const calls = Promise.all([impatient(100), impatient(200), unpaced.call(LIST), unpaced.call(LIST)])
  await clock.run()
  const [first, second] = await calls
  assert.deepEqual(network.sentAt, [0, 2_040, 2_080])
  assert.notEqual(first, second)
  for (const error of [first, second]) {
    assert.ok(error instanceof ServiceError)
    assert.equal(Number(error.retryAt), 2_040)
    assert.ok(error.cause instanceof ServiceError, 'the refusal')
    assert.match(error.message, /^Not sent: calls with this key must wait until 1970-01-01T00:00:02.040Z\. /)
    assert.equal(error.requestId, undefined)
  }
})

test('a hanging call holds the others up only for a while', async () => {
  const clock = new FakeClock()
  const faults: (Fault | undefined)[] = ['hangs']
  const { network, unpaced } = connect(clock, new ModelService({ perMinute: 50, perDay: 1_000 }), () => {
    return { ...QUICK, fault: faults.shift() }
  })
  const calls = Promise.all([unpaced.call(LIST), unpaced.call(LIST), unpaced.call(LIST)])
  await clock.run()
  await calls
  assert.deepEqual(network.sentAt.slice(0, 3), [0, 5_000, 5_040])
})

test('a hanging call does not slow down occasional calls while others are answered', async () => {
  const clock = new FakeClock()
  const faults: (Fault | undefined)[] = [undefined, 'hangs']
  const { network, unpaced } = connect(clock, new ModelService({ perMinute: 50, perDay: 1_000 }), () => {
    return { ...QUICK, fault: faults.shift() }
  })
  const hangs = clock.reach(2_000).then(() => unpaced.call(LIST))
  const tookMs = [0, 8_000, 10_000, 12_000, 14_000].map(async at => {
    await clock.reach(at)
    await unpaced.call(LIST)
    return clock.now() - at
  })
  await clock.run()
  await hangs
  assert.deepEqual(await Promise.all(tookMs), [40, 40, 40, 40, 40])
  assert.equal(network.sentAt.length, 7)
})

test('an invalid signal is reported at once and leaves nothing behind', async () => {
  const clock = new FakeClock()
  const { network, unpaced } = connect(clock, new ModelService({ perMinute: 5, perDay: 1_000 }))
  const signal = new AbortController() as unknown as AbortSignal
  await assert.rejects(unpaced.call(LIST, { signal }), TypeError)
  assert.deepEqual(network.sentAt, [])
  assert.equal(clock.left, 0)
})

test('a paced caller spreads the second half of its calls over the rest of the minute', async () => {
  const clock = new FakeClock()
  const { network, paced } = connect(clock, new ModelService({ perMinute: 10, perDay: 1_000 }))
  const calls = Promise.all(Array.from({ length: 10 }, () => paced.call(LIST)))
  await clock.run()
  await calls
  const [first = 0, ...later] = network.sentAt.slice(4)
  assert.ok(first < 100)
  assert.ok((later.at(-1) ?? 0) > 45_000 && (later.at(-1) ?? 0) < 60_020, `${network.sentAt}`)
})

test('a timeout of 0 sends nothing, and one that is not a number is an error', async () => {
  const clock = new FakeClock()
  const { network, unpaced } = connect(clock, new ModelService({ perMinute: 5, perDay: 1_000 }))
  for (const timeoutMs of [0, -1, Number.NEGATIVE_INFINITY]) {
    await assert.rejects(unpaced.call(LIST, { timeoutMs }), TimeoutError)
  }
  for (const timeoutMs of [Number.NaN, '5000', null]) {
    await assert.rejects(unpaced.call(LIST, { timeoutMs: timeoutMs as number }), RangeError)
  }
  assert.deepEqual(network.sentAt, [])
  assert.equal(clock.left, 0)
})

const MINUTE_MS = 60_000
const CENTURY_SECONDS = 3_153_600_000
const OURS = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1798761600' }
const LONG_WINDOW = { 'ratelimit-policy': '"day";q=9;w=86400', ratelimit: '"day";r=0;t=999999999' }

/** An answer, the setting, and for how long it holds back calls. */
const FALSE_ANSWERS: [string, { status: number; headers: Record<string, string> }, number, number][] = [
  ['a 429 that asks for a century', { status: 429, headers: inSeconds(OURS) }, DEFAULT_MAX_WAIT_MS, 25 * HOUR_MS],
  ['a 503 that asks for a century', { status: 503, headers: inSeconds(OURS) }, DEFAULT_MAX_WAIT_MS, 25 * HOUR_MS],
  ['a 429 of another server', { status: 429, headers: inSeconds() }, DEFAULT_MAX_WAIT_MS, 2 * MINUTE_MS],
  ['a 503 of another server', { status: 503, headers: inSeconds() }, DEFAULT_MAX_WAIT_MS, 2 * MINUTE_MS],
  [
    'two of our three headers',
    { status: 503, headers: inSeconds({ ...OURS, 'x-ratelimit-reset': '' }) },
    DAY_MS,
    2 * MINUTE_MS,
  ],
  [
    'a date in 2126',
    { status: 503, headers: { 'retry-after': 'Sat, 02 Nov 2126 00:00:00 GMT' } },
    DAY_MS,
    2 * MINUTE_MS,
  ],
  [
    'more digits than a number has',
    { status: 429, headers: { 'retry-after': '9'.repeat(400) } },
    DAY_MS,
    2 * MINUTE_MS,
  ],
  ['a window of 31 years', { status: 200, headers: LONG_WINDOW }, DEFAULT_MAX_WAIT_MS, 25 * HOUR_MS],
  ['a shorter setting', { status: 429, headers: inSeconds(OURS) }, MINUTE_MS, MINUTE_MS],
  ['a shorter setting, another server', { status: 503, headers: inSeconds() }, MINUTE_MS, MINUTE_MS],
  ['a shorter setting, a long window', { status: 200, headers: LONG_WINDOW }, MINUTE_MS, MINUTE_MS],
  ['no limit, another server', { status: 503, headers: inSeconds() }, Number.POSITIVE_INFINITY, 2 * MINUTE_MS],
  ['a date in the past', { status: 503, headers: { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' } }, DAY_MS, 0],
]

for (const [name, { status, headers }, maxWaitMs, heldMs] of FALSE_ANSWERS) {
  test(`one false answer holds back calls for a limited time: ${name}`, async () => {
    const clock = new FakeClock()
    const gate = new Gate(clock, () => 0)
    const answers = [new Response('[]', { status, headers })]
    const fetch = async () => answers.shift() ?? new Response('[]')
    const options = { ...DEFAULTS, apiKey: '', timeoutMs: 1_000, attemptTimeoutMs: 1_000, isPaced: false, maxWaitMs }
    const transport = new Transport({ ...options, random: () => 0, maxRetries: 0, fetch, gate, clock })
    const outcomeAt = async (at: number) => {
      await clock.reach(at)
      return transport.call(LIST).then(
        ({ status }) => status,
        ({ code }) => code,
      )
    }
    const outcomes = [
      outcomeAt(0),
      outcomeAt(1),
      outcomeAt(Math.max(2, heldMs - 1_001)),
      outcomeAt(Math.max(3, heldMs)),
    ]
    await clock.run()
    const [, soon, justBefore, after] = await Promise.all(outcomes)
    const held = heldMs === 0 ? 200 : 'held'
    assert.deepEqual(
      [soon, justBefore].map(outcome => (outcome === 200 ? 200 : 'held')),
      [held, held],
    )
    assert.equal(after, 200)
  })
}

test('the error carries the wait that was asked for, also when the call was not sent', async () => {
  const clock = new FakeClock()
  const gate = new Gate(clock, () => 0)
  const refusal = JSON.stringify({ code: 'rate_limit_exceeded', message: 'Wait.', status: 429 })
  const fetch = async () => new Response(refusal, { status: 429, headers: inSeconds(OURS) })
  const options = { ...DEFAULTS, apiKey: '', timeoutMs: 1_000, attemptTimeoutMs: 1_000, isPaced: false }
  const transport = new Transport({ ...options, random: () => 0, maxWaitMs: HOUR_MS, fetch, gate, clock })
  for (const retryAt of [HOUR_MS, HOUR_MS]) {
    const call = transport.call(LIST).catch(error => error)
    await clock.run()
    const error = await call
    assert.ok(error instanceof RateLimitError)
    assert.equal(error.retryAfterMs, CENTURY_SECONDS * 1_000)
    assert.equal(Number(error.retryAt), retryAt, 'when calls are sent again')
  }
})

test('retryAt says when calls are sent again, also after the only attempt and after other refusals', async () => {
  for (const [status, headers, retryAt] of [
    [503, inSeconds(), 2 * MINUTE_MS],
    [502, inSeconds(), 2 * MINUTE_MS],
    [302, inSeconds(), 2 * MINUTE_MS],
    [500, inSeconds(OURS), HOUR_MS],
    [429, inSeconds(OURS), HOUR_MS],
  ] as const) {
    const clock = new FakeClock()
    const gate = new Gate(clock, () => 0)
    const fetch = async () => new Response('', { status, headers })
    const options = { ...DEFAULTS, apiKey: '', timeoutMs: 1_000, attemptTimeoutMs: 1_000, isPaced: false }
    const transport = new Transport({
      ...options,
      maxRetries: 0,
      maxWaitMs: HOUR_MS,
      fetch,
      gate,
      clock,
      random: () => 0,
    })
    const error = await transport.call(LIST).catch(error => error)
    assert.equal(error.retryAfterMs, CENTURY_SECONDS * 1_000)
    assert.equal(Number(error.retryAt), retryAt, `${status}`)
  }
})

function inSeconds(headers: Record<string, string> = {}): Record<string, string> {
  return { ...headers, 'retry-after': String(CENTURY_SECONDS) }
}
