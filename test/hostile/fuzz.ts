import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createAccount } from '../../src/domain/administration/accounts.ts'
import type { AdminContext } from '../../src/domain/administration/context.ts'
import { issueKey } from '../../src/domain/administration/keys.ts'
import { createToken } from '../../src/domain/administration/tokens.ts'
import { makeStore, type Serving, startServe } from '../support/command-line.ts'
import { seededRandom } from '../support/random.ts'
import { type Answer, Connection } from '../support/raw.ts'
import { parseScrape, sumOf } from '../support/scrape.ts'
import { assertOrderly, assertPublic } from './answers.ts'
import { brokenRequest, buildDice, type Dice, type FuzzRequest, type Secrets, wholeRequest } from './requests.ts'

/**
 * Sends valid, odd and broken requests over raw sockets to `petstore serve` on both listeners, and checks every answer against the promises for all
 * answers. It shares its checks with the walk; a small run of it is a test (fuzz.test.ts).
 *
 *     npm run fuzz -- --requests 200000 --seconds 600 --seed 1
 *
 * It exits with 1 if anything failed, and prints the bytes and the options that send the same bytes again: `--first N --requests 1`.
 * The system decides when bytes arrive, so a failure that depends on timing may need several attempts.
 */
export interface FuzzOptions {
  requests: number
  seconds: number
  seed: number
  /** The first conversation; the bytes of each depend only on the seed and its number. */
  first?: number
  /** Starts other work on the same service; returns a function that stops it before the service is checked. */
  meanwhile?: (service: { port: number; key: string }) => () => Promise<void>
}

export interface FuzzReport {
  seed: number
  requests: number
  connections: number
  /** The number of answers, by status. */
  answers: Record<string, number>
  /** How often each kind of failure occurred. */
  failures: Record<FailureKind, number>
  /** The first failures, with the options that send the same bytes again. */
  details: string[]
  rssGrowthBytes: number
  seconds: number
}

const FAILURES = ['crash', 'hang', '5xx', 'headers', 'no HTTP', 'answers missing', 'aftermath'] as const
type FailureKind = (typeof FAILURES)[number]

const PARALLEL = 32
const MOST_DETAILS = 5
/** Allowed for cached pages and an uncollected heap; a leak per connection would exceed it. */
const RSS_GROWTH_BYTES = 402_653_184
const LIMITS = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }

/** Releases the resources: at the end of a test, or of the script. */
interface Cleanup {
  after(end: () => Promise<void>): void
}

export async function fuzz(
  t: Cleanup,
  { requests, seconds, seed, first = 0, meanwhile }: FuzzOptions,
): Promise<FuzzReport> {
  const store = await makeStore(t, { PETSTORE_ANONYMOUS_PER_MINUTE: '1000000000' })
  const secrets = await store.act(prepare)
  const service = await startServe(t, {}, { store })
  const report: FuzzReport = {
    seed,
    requests: 0,
    connections: 0,
    answers: {},
    failures: Object.fromEntries(FAILURES.map(kind => [kind, 0])) as Record<FailureKind, number>,
    details: [],
    rssGrowthBytes: 0,
    seconds: 0,
  }
  const startedAt = performance.now()
  const rssBefore = await readRss(service)
  let next = first

  function fail(kind: FailureKind, detail: string): void {
    report.failures[kind] += 1
    if (report.details.length < MOST_DETAILS) report.details.push(`${kind}: ${detail}`)
  }

  async function converseInTurn(): Promise<void> {
    while (report.requests < requests && performance.now() - startedAt < seconds * 1_000) {
      if (service.child.exitCode !== null || service.child.signalCode !== null) return
      const number = next++
      const conversation = plan(seed, number, secrets)
      report.requests += conversation.requests.length
      report.connections += 1
      await converse(service, conversation, report.answers).catch(error => {
        const again = `npm run fuzz -- --seed ${seed} --first ${number} --requests 1`
        const { listener, requests: sent, ending } = conversation
        const bytes = JSON.stringify(Buffer.concat(sent.map(one => one.bytes)).toString('latin1'))
        fail(kindOf(error), `${error.message}\n${again}\n${listener}, ${ending}, ${sent.length} requests: ${bytes}`)
      })
    }
  }

  const end = meanwhile?.({ port: Number(new URL(service.url).port), key: secrets.keys[0] as string })
  await Promise.all(Array.from({ length: PARALLEL }, converseInTurn))
  await end?.()
  if (service.child.exitCode !== null || service.child.signalCode !== null) {
    fail('crash', service.stderr)
  } else {
    await inspectAftermath(service, secrets).catch(error => fail('aftermath', error.message))
    report.rssGrowthBytes = (await readRss(service)) - rssBefore
    if (report.rssGrowthBytes > RSS_GROWTH_BYTES) fail('aftermath', `${report.rssGrowthBytes} bytes more of memory`)
  }
  report.seconds = (performance.now() - startedAt) / 1_000
  return report
}

/** The bytes sent over one connection. */
interface Conversation {
  listener: 'public' | 'operators'
  requests: FuzzRequest[]
  /** The positions where the bytes are split into packets. */
  splits: number[]
  /** The pause between two packets; 0 for none. */
  pauseMs: number
  ending: 'waits for answers' | 'half-closes' | 'resets' | 'sends one by one'
}

function plan(seed: number, number: number, secrets: Secrets): Conversation {
  const dice = buildDice(seededRandom(Math.imul(seed, 1_000_003) + number))
  const listener = dice.chance(0.7) ? 'public' : 'operators'
  const requests = Array.from({ length: 1 + dice.below(8) }, () => wholeRequest(dice, listener, secrets))
  const isBroken = dice.chance(0.5)
  if (isBroken) requests.push(brokenRequest(dice, listener, secrets))
  const total = requests.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const splits = dice.chance(0.5) ? [] : Array.from({ length: 1 + dice.below(6) }, () => dice.below(total))
  return {
    listener,
    requests,
    splits: splits.toSorted((one, other) => one - other),
    pauseMs: dice.chance(0.5) ? 0 : dice.below(4),
    ending: endingOf(dice, isBroken),
  }
}

/** Broken bytes may be the start of a request, so the client must end its side. */
function endingOf(dice: Dice, isBroken: boolean): Conversation['ending'] {
  if (dice.chance(0.1)) return 'resets'
  if (isBroken || dice.chance(0.3)) return 'half-closes'
  return dice.chance(0.5) ? 'waits for answers' : 'sends one by one'
}

async function converse(
  service: Serving,
  { listener, requests, splits, pauseMs, ending }: Conversation,
  answers: Record<string, number>,
): Promise<void> {
  const isPublic = listener === 'public'
  const { port } = new URL(isPublic ? service.url : service.operatorUrl)
  const connection = await Connection.open(Number(port), isPublic ? assertPublic : assertOrderly)
  try {
    if (ending === 'sends one by one') {
      for (const request of requests) {
        connection.write(request.bytes)
        if (isLast(await finalAnswer(connection, request.method, answers))) return
      }
      return
    }
    const bytes = Buffer.concat(requests.map(request => request.bytes))
    const bounds = [0, ...splits, bytes.length]
    for (const [index, end] of bounds.slice(1).entries()) {
      connection.write(bytes.subarray(bounds[index], end))
      if (pauseMs > 0) await sleep(pauseMs)
    }
    if (ending === 'resets') return connection.reset()
    if (ending === 'half-closes') connection.end()
    for (const request of requests) if (isLast(await finalAnswer(connection, request.method, answers))) return
    // The broken bytes may have been more than one request.
    if (ending === 'half-closes') for (const { status } of await connection.answersUntilEnd()) count(answers, status)
  } finally {
    connection.destroy()
  }
}

async function finalAnswer(connection: Connection, method: string, answers: Record<string, number>): Promise<Answer> {
  for (;;) {
    const answer = await connection.answer(method)
    count(answers, answer.status)
    if (answer.status >= 200) return answer
  }
}

/** Whether the service has said that it answers nothing after this. */
function isLast(answer: Answer): boolean {
  return answer.header('connection') === 'close'
}

function count(answers: Record<string, number>, status: number): void {
  answers[status] = (answers[status] ?? 0) + 1
  // 501 is for methods that the service does not know.
  if (status >= 500 && status !== 501) throw new Error(`answered ${status}`)
}

function kindOf(error: Error): FailureKind {
  if (/^answered 5/.test(error.message)) return '5xx'
  if (/^nothing came/.test(error.message)) return 'hang'
  if (/ended (without a whole answer|inside)|ECONN|EPIPE/.test(error.message)) return 'answers missing'
  return error instanceof assert.AssertionError ? 'headers' : 'no HTTP'
}

/** Afterwards, the service must serve as before, and must have logged no error and no foreign line. */
async function inspectAftermath(service: Serving, { keys, tokens }: Secrets): Promise<void> {
  for (const [url, secret] of [
    [`${service.url}/v1/pets?limit=1`, keys[0]],
    [`${service.operatorUrl}/admin/v1/accounts?limit=1`, tokens[0]],
  ] as const) {
    const { status } = await fetch(url, { headers: { Authorization: `Bearer ${secret}` } })
    assert.equal(status, 200, url)
  }
  assert.equal(service.stderr.slice(0, 2_000), '')
  const lines = service.stdout.slice(0, service.stdout.lastIndexOf('\n')).split('\n')
  const error = lines.find(line => JSON.parse(line).level >= 50)
  assert.equal(error?.slice(0, 2_000), undefined)
}

async function readRss(service: Serving): Promise<number> {
  const scrape = parseScrape(await (await fetch(`${service.operatorUrl}/metrics`)).text())
  return sumOf(scrape, 'process_resident_memory_bytes') ?? 0
}

async function prepare(context: AdminContext): Promise<Secrets> {
  const keys: string[] = []
  for (const [name, plan] of [
    ['large', 'enterprise'],
    ['larger', 'enterprise'],
    ['small', 'free'],
  ] as const) {
    const { id } = await createAccount(context, { name, plan, limits: plan === 'free' ? {} : LIMITS })
    keys.push((await issueKey(context, { account: String(id) })).key)
  }
  const tokens = await Promise.all([
    createToken(context, { name: 'Anna', role: 'admin' }),
    createToken(context, { name: 'Sam', role: 'staff' }),
  ])
  return { keys, tokens: tokens.map(({ token }) => token) }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '200000' },
      seconds: { type: 'string', default: '600' },
      seed: { type: 'string', default: '1' },
      first: { type: 'string', default: '0' },
    },
  })
  await using opened = new AsyncDisposableStack()
  const report = await fuzz(
    { after: end => opened.defer(end) },
    {
      requests: Number(values.requests),
      seconds: Number(values.seconds),
      seed: Number(values.seed),
      first: Number(values.first),
    },
  )
  const { answers, failures, details, ...figures } = report
  console.table({ ...figures, seconds: Math.round(figures.seconds) })
  console.table(answers)
  console.table(failures)
  for (const detail of details) console.log(`\n${detail.slice(0, 20_000)}`)
  process.exitCode = Object.values(failures).some(count => count > 0) ? 1 : 0
}
