import { formatNumber, markdownTable } from '../../bench/figure.ts'
import { PLANS, type Plan } from '../../src/domain/plan.ts'
import { MINUTE_MS } from '../../src/domain/time.ts'
import { hashSlot, nodeOfSlot } from './hash-slot.ts'
import { type Account, CONNECTIONS, LimiterModel, PROBE_MS, SETTLE_MS, type Size } from './model.ts'

/**
 * Checks the arithmetic of limits that many instances share: `node test/limiter-simulation/simulation.ts` simulates 1,000 instances and 100,000 calls
 * per second through four stages, and exits with 1 if a bound is broken. README.md lists the bounds.
 */

/** The calls of all accounts with one plan in one stage. */
export interface StagePart {
  stage: string
  plan: Plan
  accounts: number
  calls: number
  admitted: number
  /** Calls that a single counter that never fails would have admitted. */
  exact: number
  /** Calls admitted that it would have refused, and calls refused that it would have admitted, added up account by account. */
  over: number
  under: number
  /** Calls that Redis has counted more than once: they are refused later. */
  twice: number
  /** How much of its bound was used by the account nearest to it. Above 1, the bound is broken. */
  ofBound: number
}

export interface Outcome {
  parts: StagePart[]
  /** Without Redis: the admitted share of the calls that a single counter would have admitted, by the connections of an account. */
  aloneByConnections: { connections: number; share: number }[]
  /** The share of the calls at the busiest node, and of the keys at the fullest node, by the number of nodes in a Redis cluster. */
  clusters: { nodes: number; calls: number; keys: number }[]
  /** The busiest account's share of all calls. They all use one key in Redis. */
  busiestAccount: number
}

const LARGE: Size = { instances: 1_000, accounts: 5_000, callsPerSecond: 100_000 }
const NODES = [3, 6, 12, 24]

/** @param seconds of each stage; more than 60, so that new windows begin during it */
export function simulate(size: Size, seconds: number): Outcome {
  const model = new LimiterModel(size)
  const { accounts } = model
  const calls = accounts.map(() => 0)
  const today = () => new Map(accounts.map(account => [account, account.today]))
  const parts: StagePart[] = []
  const stage = (name: string, run: () => void, ofBound: (account: Account) => number) => {
    model.beginStage()
    run()
    parts.push(...PLANS.map(plan => sumUp(name, plan, accounts, ofBound)))
    for (const [rank, { tally }] of accounts.entries()) calls[rank] = (calls[rank] as number) + tally.calls
  }
  const inWindow = ({ tally, limits }: Account, more = 0) => tally.inFullestWindow / (limits.perMinute + more)
  const inDay = (account: Account, before?: Map<Account, number>, more = 0) =>
    account.today / (Math.max(account.limits.perDay, before?.get(account) ?? 0) + more)

  stage(
    'Redis counts',
    () => model.run(seconds),
    account => Math.max(inWindow(account), inDay(account)),
  )

  const leaving = Math.ceil(size.instances / 10)
  const ever = size.instances + 2 * leaving
  const windows = 1 + Math.ceil((seconds * 1_000) / MINUTE_MS)
  stage(
    'Redis is gone',
    () => {
      model.loseRedis()
      model.run(seconds / 3)
      model.leave(leaving)
      model.run(seconds / 3)
      model.join(2 * leaving)
      model.run(seconds / 3)
    },
    ({ limits, tally }) => {
      const share = (limit: number, instances = size.instances) => Math.max(1, limit / instances)
      return Math.max(
        tally.admitted / (ever * Math.min(windows * share(limits.perMinute), share(limits.perDay))),
        tally.inFullestShare / share(limits.perMinute, size.instances - leaving),
      )
    },
  )
  const aloneByConnections = CONNECTIONS.map(connections => {
    const these = accounts.filter(account => account.connections === connections)
    return { connections, share: sum(these, ({ tally }) => tally.admitted) / sum(these, ({ tally }) => tally.exact) }
  })

  const atReturn = today()
  const whileAlone = new Map<Account, number>()
  stage(
    'Redis is back',
    () => {
      model.returnRedis()
      model.run((SETTLE_MS + PROBE_MS) / 1_000)
      for (const account of accounts) whileAlone.set(account, account.tally.admitted)
      model.run(seconds)
    },
    account => {
      const unknown = account.unreported + (whileAlone.get(account) ?? 0)
      return Math.max(inWindow(account), inDay(account, atReturn, unknown))
    },
  )

  const atFlush = today()
  const lost = new Map(accounts.map(account => [account, account.unsaved]))
  stage(
    'Redis was flushed',
    () => {
      model.flushRedis()
      model.run(seconds)
    },
    account => {
      const forgotten = lost.get(account) ?? 0
      return Math.max(inWindow(account, forgotten), inDay(account, atFlush, account.unreported + forgotten))
    },
  )

  return {
    parts,
    aloneByConnections,
    clusters: NODES.map(nodes => spreadOver(nodes, accounts, calls)),
    busiestAccount: Math.max(...calls) / sum(calls, one => one),
  }
}

function sumUp(stage: string, plan: Plan, accounts: readonly Account[], ofBound: (account: Account) => number) {
  const these = accounts.filter(account => account.plan === plan)
  return {
    stage,
    plan,
    accounts: these.length,
    calls: sum(these, ({ tally }) => tally.calls),
    admitted: sum(these, ({ tally }) => tally.admitted),
    exact: sum(these, ({ tally }) => tally.exact),
    over: sum(these, ({ tally }) => Math.max(0, tally.admitted - tally.exact)),
    under: sum(these, ({ tally }) => Math.max(0, tally.exact - tally.admitted)),
    twice: sum(these, ({ shared, today }) => Math.max(0, (shared?.day?.used ?? 0) - today)),
    ofBound: Math.max(...these.map(ofBound)),
  }
}

function spreadOver(nodes: number, accounts: readonly Account[], calls: readonly number[]) {
  const callsOf = new Array<number>(nodes).fill(0)
  const keysOf = new Array<number>(nodes).fill(0)
  for (const [rank, { id }] of accounts.entries()) {
    const node = nodeOfSlot(hashSlot(keyOf(id)), nodes)
    callsOf[node] = (callsOf[node] as number) + (calls[rank] as number)
    keysOf[node] = (keysOf[node] as number) + 1
  }
  return { nodes, calls: Math.max(...callsOf) / sum(calls, one => one), keys: Math.max(...keysOf) / accounts.length }
}

function keyOf(id: number): string {
  return `petstore:{0123456789abcdef:${id + 1}}`
}

function sum<Part>(parts: readonly Part[], value: (part: Part) => number): number {
  return parts.reduce((total, part) => total + value(part), 0)
}

function print({ parts, aloneByConnections, clusters, busiestAccount }: Outcome): void {
  const head = ['stage', 'plan', 'calls', 'admitted', 'one counter', 'more', 'fewer', 'of bound']
  const rows = parts.map(({ stage, plan, calls, admitted, exact, over, under, ofBound }) => {
    const counts = [calls, admitted, exact, over, under].map(count => count.toLocaleString('en'))
    return [stage, plan, ...counts, formatNumber(ofBound)]
  })
  console.log(`${markdownTable(head, rows, [2, 3, 4, 5, 6, 7])}\n`)
  const shares = aloneByConnections.map(({ connections, share }) => [
    Number.isFinite(connections) ? String(connections) : 'all instances',
    formatNumber(share),
  ])
  console.log(`${markdownTable(['connections', 'admitted without Redis, of one counter'], shares, [0, 1])}\n`)
  const nodes = clusters.map(({ nodes, calls, keys }) => [String(nodes), ...[calls, keys].map(formatNumber)])
  console.log(`${markdownTable(['nodes', 'calls at the busiest', 'keys at the fullest'], nodes, [0, 1, 2])}\n`)
  console.log(`The busiest account makes ${formatNumber(busiestAccount)} of the calls.`)
}

if (import.meta.main) {
  const outcome = simulate(LARGE, 75)
  print(outcome)
  const broken = outcome.parts.filter(({ ofBound, twice }) => ofBound > 1 || twice > 0)
  console.log(broken.length === 0 ? 'Every bound held.' : `${broken.length} bounds broken.`)
  if (broken.length > 0) process.exitCode = 1
}
