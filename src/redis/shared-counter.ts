import {
  type Counts,
  type CountsReading,
  type Decision,
  decide,
  maxCounts,
  tightest,
  type Window,
  windowsOf,
} from '../domain/rate-limiter.ts'
import { consume, type KeyArgs, NO_KEY, type Question, type Reply } from './consume.ts'
import { Nodes, type RedisNode } from './nodes.ts'
import type { RedisLimiterOptions } from './options.ts'
import { markReported, removeRejected, windowsOfShare, withoutExpired } from './share.ts'
import { isEmpty, type Report, type Spent, type Tally } from './tally.ts'
import { REDIS_TIMEOUT_MS, withTimeout } from './timeouts.ts'

/** A call decided by Redis, or by this instance alone. */
export type Verdict = { reply: Reply; alone?: never } | { reply?: never; alone: Decision }

type CounterOptions = Pick<RedisLimiterOptions, 'instances' | 'now' | 'ownClock' | 'watch'>

/** How long a call waits for the counts in the store, if Redis has lost them or cannot be reached. */
const LOAD_MS = 50
const LOAD_ALONE_MS = 15
const REPORTS_AT_ONCE = 500

/** Counts calls in Redis, together with the other instances. While Redis cannot be used, counts in this process, against the share. */
export class SharedCounter {
  readonly #nodes: Nodes
  readonly #options: CounterOptions
  /**
   * Accounts with calls that have not been reported to Redis, or whose report is not confirmed. Addresses are not included, because there may
   * be too many: an address is reported with its next call. If it has been forgotten by then, its calls of that minute may be admitted again.
   */
  readonly #unreported = new Set<Tally>()

  constructor(urls: readonly string[], options: CounterOptions) {
    this.#nodes = new Nodes(urls, options, node => this.#catchUp(node))
    this.#options = options
  }

  /** Waits until it is known whether Redis can be used. */
  ready(key: string): Promise<void> {
    return this.#nodes.ready(key)
  }

  close(): void {
    this.#nodes.close()
  }

  /** Unix milliseconds, on the clock that times the windows of a tally. */
  clockOf({ key }: Tally, now: number): number {
    return this.#clock(this.#nodes.of(key), now)
  }

  /** Decides one call. Never rejects. */
  async count(tally: Tally, task: Question['task'], key: KeyArgs, now: number): Promise<Verdict> {
    const node = this.#nodes.of(tally.key)
    if (!node.isTried) await node.tried
    if (node.isDown) return { alone: (await this.#countAlone(tally, node, now)).decision }

    const own = node.isSettling ? this.#spend(tally, node, now) : undefined
    if (own && !own.admitted) {
      this.#options.watch.decidedAlone()
      return { alone: refusedForNow(tally, own.decision) }
    }
    const report = tally.beginReport(own?.call)
    const { reply, late } = await this.#ask(tally, node, { task, key, unreported: report.earlier, now })
    if (reply) {
      if (own && reply.outcome !== 'admitted') tally.share = removeRejected(tally.share, own.call)
      this.#endReport(tally, report, node)
      return { reply: own ? { ...reply, counts: atLeast(reply.counts, own.decision.windows) } : reply }
    }
    this.#failReport(tally, report)
    if (own) this.#options.watch.decidedAlone()
    const { admitted, call, decision } = own ?? (await this.#countAlone(tally, node, now))
    noteLateReply(tally, late, report.earlier, admitted ? call : {})
    return { alone: decision }
  }

  /** Queries Redis without counting anything; undefined if Redis cannot be reached. Never rejects. */
  async peek(tally: Tally, key: KeyArgs, now: number): Promise<Reply | undefined> {
    const node = this.#nodes.of(tally.key)
    if (!node.isTried) await node.tried
    if (node.isDown) return undefined
    return (await this.#ask(tally, node, { task: 'peek', key, unreported: {}, now })).reply
  }

  /** Reads the counts, without counting anything. Never rejects. */
  async read(tally: Tally, now: number): Promise<CountsReading> {
    const reply = await this.peek(tally, NO_KEY, now)
    const node = this.#nodes.of(tally.key)
    const readAt = reply?.decidedAt ?? this.#clock(node, now)
    // While the node is settling, other instances may not have reported their calls yet.
    const isComplete = reply !== undefined && !node.isSettling && !tally.hasUnreported
    return { counts: maxCounts(tally.known, tally.share, readAt), readAt, isComplete }
  }

  /** The windows as known to this instance, without querying Redis. */
  knownWindows(tally: Tally, now: number): { windows: readonly Window[]; decidedAt: number } {
    const node = this.#nodes.of(tally.key)
    const decidedAt = this.#clock(node, now)
    const windows = node.isDown
      ? windowsOfTallyShare(tally, node, decidedAt)
      : windowsOf(tally.known, tally.limits, decidedAt)
    return { windows, decidedAt }
  }

  /** The calls of the minute left to this instance, if all instances divide the rest. */
  shareLeft(tally: Tally, now: number): number {
    const node = this.#nodes.of(tally.key)
    return windowsOfTallyShare(tally, node, this.#clock(node, now))[0]?.remaining ?? 0
  }

  /** Ends the claim of a ban in Redis (settle-ban.lua). If that fails, the claim expires. */
  async settleBan({ key }: Tally, ...args: (string | number)[]): Promise<void> {
    await withTimeout(this.#nodes.connection.run('settleBan', key, ...args)).catch(() => {})
  }

  /** The tally is no longer needed. */
  forget(tally: Tally): void {
    this.#unreported.delete(tally)
  }

  /** Reports all calls that were admitted alone, for any node: another node may have taken over the keys of the one that was down. */
  async #catchUp(node: RedisNode): Promise<void> {
    const unreported = [...this.#unreported]
    for (let first = 0; first < unreported.length && !node.isDown; first += REPORTS_AT_ONCE) {
      await Promise.all(unreported.slice(first, first + REPORTS_AT_ONCE).map(tally => this.#report(tally)))
    }
  }

  async #report(tally: Tally): Promise<void> {
    const now = this.#options.now()
    const node = this.#nodes.of(tally.key)
    if (!node.isTried) await node.tried
    if (node.isDown) return
    tally.share = withoutExpired(tally.share, this.#clock(node, now))
    const report = tally.beginReport()
    const unreported = report.earlier
    if (isEmpty(unreported)) return this.#endReport(tally, report, node)
    const { reply, late } = await this.#ask(tally, node, { task: 'report', key: NO_KEY, unreported, now })
    if (reply) return this.#endReport(tally, report, node)
    this.#failReport(tally, report)
    noteLateReply(tally, late, unreported, {})
  }

  /**
   * Retries until there is a decision. If Redis cannot be used or does not respond in time, the node is down; the reply to the last attempt may
   * still arrive late. Never rejects.
   */
  async #ask(tally: Tally, node: RedisNode, { task, key, unreported, now }: Asking): Promise<Asked> {
    let late: Promise<Reply> | undefined
    let wasLate = false
    try {
      for (let next = task; ; ) {
        const sentAt = performance.now()
        late = consume(this.#nodes.connection, {
          task: next,
          hash: tally.key,
          limits: tally.limits,
          known: tally.known,
          unreported,
          deadline: node.clock.at(sentAt + REDIS_TIMEOUT_MS),
          now: this.#options.ownClock ? now : undefined,
          key,
        })
        const reply = await withTimeout(late)
        node.clock.note(reply.clock, sentAt)
        if (reply.outcome === 'missing') {
          if (!this.#unreported.has(tally)) await tally.load(LOAD_MS, this.#clock(node, now))
          next = 'count'
        } else if (reply.outcome === 'late') {
          // The server's clock was changed, or the estimate was still poor. This reply corrects it.
          if (wasLate) throw new Error('Redis responded too late.')
          wasLate = true
        } else {
          tally.known = maxCounts(tally.known, reply.counts, reply.decidedAt)
          tally.knownAt = reply.decidedAt
          return { reply }
        }
      }
    } catch (error) {
      node.fail(error)
      return { late }
    }
  }

  async #countAlone(tally: Tally, node: RedisNode, now: number): Promise<Spent> {
    const isLoaded = tally.loadedIn === node.outage || this.#unreported.has(tally)
    tally.loadedIn = node.outage
    if (tally.loading || !isLoaded) await tally.load(LOAD_ALONE_MS, this.#clock(node, now))
    const spent = this.#spend(tally, node, now)
    if (spent.admitted && !tally.isAddress) this.#unreported.add(tally)
    this.#options.watch.decidedAlone()
    return spent
  }

  #spend(tally: Tally, node: RedisNode, now: number): Spent {
    return tally.spend(node.outage, node.instances, this.#clock(node, now))
  }

  #endReport(tally: Tally, report: Report, node: RedisNode): void {
    tally.endReport(report)
    if (tally.hasUnreported) return
    this.#unreported.delete(tally)
    if (!node.isSettling) tally.share = {}
  }

  #failReport(tally: Tally, report: Report): void {
    tally.failReport(report)
    if (tally.hasUnreported && !tally.isAddress) this.#unreported.add(tally)
  }

  #clock({ clock }: RedisNode, now: number): number {
    return this.#options.ownClock || !clock.isKnown ? now : clock.at(performance.now())
  }
}

interface Asking extends Pick<Question, 'task' | 'key' | 'unreported'> {
  now: number
}

type Asked = { reply: Reply; late?: never } | { reply?: never; late: Promise<Reply> | undefined }

/** If the reply still arrives, records the calls that Redis has counted. */
function noteLateReply(tally: Tally, late: Promise<Reply> | undefined, earlier: Counts, call: Counts): void {
  late?.then(
    ({ outcome }) => {
      if (outcome === 'late' || outcome === 'missing') return
      tally.share = markReported(tally.share, earlier)
      if (outcome === 'admitted') tally.share = markReported(tally.share, call)
    },
    () => {},
  )
}

function windowsOfTallyShare({ share, known, limits }: Tally, node: RedisNode, at: number): readonly Window[] {
  return windowsOfShare(share, known, limits, node.instances, at)
}

/**
 * A refusal by the share while Redis can be reached. It shows the windows as Redis knows them. If calls remain there, the caller has to wait at
 * most until the minute resets, even if the share of the day is used up.
 */
function refusedForNow({ known, limits }: Tally, { outcome, decidedAt }: Decision): Decision {
  const [minute, day] = windowsOf(known, limits, decidedAt)
  if (tightest([minute, day]).remaining === 0) return decide(outcome, [minute, day], decidedAt)
  const closed = { ...minute, remaining: 0 }
  return { outcome, windows: [closed, day], shown: closed, decidedAt }
}

/** The counts, raised so that no more calls remain than in these windows: the share holds the other calls back for now. */
function atLeast(counts: Counts, [minute, day]: readonly Window[]): Counts {
  const raise = (count: Counts['minute'], window: Window | undefined) =>
    count && window && { ...count, used: Math.max(count.used, window.limit - window.remaining) }
  const raised = { minute: raise(counts.minute, minute), day: raise(counts.day, day) }
  return { ...(raised.minute && { minute: raised.minute }), ...(raised.day && { day: raised.day }) }
}
