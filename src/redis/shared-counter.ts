import type { Limits } from '../domain/plan.ts'
import { type Counts, type Decision, higher, tightest, type Window, windowsOf } from '../domain/rate-limiter.ts'
import type { Circuit } from './circuit.ts'
import type { Parts } from './parts.ts'
import { answerInTime, WAIT_MS } from './patience.ts'
import { parseReply, type Reply } from './reply.ts'
import {
  noteTold,
  noteUntold,
  oneCall,
  renewShare,
  reseedShare,
  type Share,
  spendShare,
  takeBack,
  untoldOf,
  windowsOfShare,
  withoutOver,
} from './share.ts'

/** What this instance knows of one account or address. */
export interface Tally {
  readonly key: string
  /** As of its last call. An address has no limit a day: Infinity. */
  limits: Limits
  /** As Redis, or the store, told last. */
  known: Counts
  /** What was counted without Redis. */
  share: Share
  /** In which outage the share began. */
  sharedIn: number
  /** How many questions are under way that tell Redis of the share. */
  telling: number
  /** What the store has saved, if anything is. */
  recall: (() => Promise<Counts>) | undefined
  recalling: Promise<void> | undefined
  /** The outage in which the store was asked last. */
  recalledIn: number
}

/** A task of consume.lua, with the arguments that follow the counts. */
export interface Question {
  task: 'ask' | 'count' | 'again' | 'peek' | 'tell'
  about: readonly (string | number)[]
}

/** A call decided by Redis, or by this instance alone. */
export type Verdict = { reply: Reply; alone?: never } | { reply?: never; alone: Decision }

export interface SharedCounterOptions {
  parts: Parts
  /** Whether windows go by the caller's clock, not by that of Redis. */
  ownClock: boolean
  decidedAlone(): void
}

/** How long a call waits for the store: where Redis has lost the count, and where Redis cannot be asked. */
const RECALL_MS = 50
const RECALL_ALONE_MS = 15
const TOLD_AT_ONCE = 500
/** Instead of a key, of its bans and of what earns one: an address has none. */
export const NO_KEY: Question['about'] = ['', 0, 0, 0, 0, 0]

export function newTally(key: string, limits: Limits, recall?: () => Promise<Counts>): Tally {
  const never = Number.NEGATIVE_INFINITY
  const unshared = { share: {}, sharedIn: never, telling: 0 }
  return { key, limits, known: {}, ...unshared, recall, recalling: undefined, recalledIn: never }
}

/** Counts in Redis, with the other instances; while that cannot be used, in this process, against this instance's share. */
export class SharedCounter {
  readonly #parts: Parts
  readonly #ownClock: boolean
  readonly #decidedAlone: () => void
  /**
   * The accounts whose calls Redis has not been told of, or is just being told of. Of an address it is told with the address's next
   * call, if it is still known then; else what an outage admitted of its minute may be admitted once more. They may be very many.
   */
  readonly #untold = new Set<Tally>()

  constructor({ parts, ownClock, decidedAlone }: SharedCounterOptions) {
    this.#parts = parts
    this.#ownClock = ownClock
    this.#decidedAlone = decidedAlone
  }

  /** What the clock says that the windows of a tally go by: Unix milliseconds. */
  clockOf({ key }: Tally, now: number): number {
    return this.#clock(this.#parts.of(key), now)
  }

  /** Decides one call. Never rejects. */
  async count(tally: Tally, question: Question, now: number): Promise<Verdict> {
    const part = this.#parts.of(tally.key)
    if (!part.isTried) await part.tried
    if (part.isOpen) return { alone: (await this.#countAlone(tally, part, now)).decision }

    const own = part.isSettling ? this.#spend(tally, part, now) : undefined
    if (own && !own.admitted) {
      this.#decidedAlone()
      return { alone: refusedForNow(tally, own.decision) }
    }
    const telling = this.#beginTelling(tally, own?.call)
    const attempt: Attempt = {}
    try {
      const reply = await this.#ask(tally, question, telling.carried, part, now, attempt)
      if (own && reply.outcome !== 'admitted') tally.share = takeBack(tally.share, own.call)
      this.#endTelling(tally, telling)
      this.#forgetTold(tally, part)
      return { reply: own ? { ...reply, counts: atLeast(reply.counts, own.decision) } : reply }
    } catch (error) {
      part.fail(error)
      this.#failTelling(tally, telling)
      if (own) this.#decidedAlone()
      const { admitted, call, decision } = own ?? (await this.#countAlone(tally, part, now))
      this.#noteLate(tally, telling.carried, attempt, admitted ? call : {})
      return { alone: decision }
    }
  }

  /** Tells that a tally is not needed any more. */
  forget(tally: Tally): void {
    this.#untold.delete(tally)
  }

  /** How it stands in Redis, nothing counted; undefined if Redis cannot be asked. Never rejects. */
  async peek(tally: Tally, about: Question['about'], now: number): Promise<Reply | undefined> {
    const part = this.#parts.of(tally.key)
    if (!part.isTried) await part.tried
    if (part.isOpen) return undefined
    try {
      return await this.#ask(tally, { task: 'peek', about }, {}, part, now)
    } catch (error) {
      part.fail(error)
      return undefined
    }
  }

  /** How the windows stand as far as this instance knows: nothing is asked. */
  standing(tally: Tally, now: number): { windows: readonly Window[]; decidedAt: number } {
    const part = this.#parts.of(tally.key)
    const decidedAt = this.#clock(part, now)
    const windows = part.isOpen
      ? this.#windowsOfShare(tally, part, decidedAt)
      : windowsOf(tally.known, tally.limits, decidedAt)
    return { windows, decidedAt }
  }

  /** How many calls of the minute are left to this instance, if all of them divide what is left. */
  shareLeft(tally: Tally, now: number): number {
    const part = this.#parts.of(tally.key)
    return this.#windowsOfShare(tally, part, this.#clock(part, now))[0]?.remaining ?? 0
  }

  #windowsOfShare({ share, known, limits }: Tally, part: Circuit, at: number): readonly Window[] {
    return windowsOfShare(share, known, limits, part.instances, at)
  }

  /**
   * Tells Redis what was admitted without it, wherever it can be told now: what one part held another may have taken over.
   * Never rejects.
   */
  async catchUp(part: Circuit, now: number): Promise<void> {
    const untold = [...this.#untold]
    for (let first = 0; first < untold.length && !part.isOpen; first += TOLD_AT_ONCE) {
      await Promise.all(untold.slice(first, first + TOLD_AT_ONCE).map(tally => this.#tell(tally, now)))
    }
  }

  async #tell(tally: Tally, now: number): Promise<void> {
    const part = this.#parts.of(tally.key)
    if (!part.isTried) await part.tried
    if (part.isOpen) return
    tally.share = withoutOver(tally.share, this.#clock(part, now))
    const telling = this.#beginTelling(tally)
    const { carried } = telling
    if (isEmpty(carried)) return this.#forgetTold(tally, part)
    const attempt: Attempt = {}
    try {
      await this.#ask(tally, { task: 'tell', about: NO_KEY }, carried, part, now, attempt)
      this.#endTelling(tally, telling)
      this.#forgetTold(tally, part)
    } catch (error) {
      part.fail(error)
      this.#failTelling(tally, telling)
      this.#noteLate(tally, carried, attempt, {})
    }
  }

  /** Asks until there is a decision. Rejects if Redis cannot be used, or does not answer in time. */
  async #ask(
    tally: Tally,
    { task, about }: Question,
    carried: Counts,
    part: Circuit,
    now: number,
    attempt: Attempt = {},
  ): Promise<Reply> {
    let wasLate = false
    for (let next = task; ; ) {
      const sentAt = performance.now()
      const deadline = part.clock.at(sentAt + WAIT_MS)
      attempt.answering = this.#send(tally, { task: next, about }, carried, deadline, now)
      const reply = await answerInTime(attempt.answering)
      part.heard(reply.clock, sentAt)
      if (reply.outcome === 'missing') {
        if (!this.#untold.has(tally)) await this.#recall(tally, RECALL_MS, this.#clock(part, now))
        next = 'count'
      } else if (reply.outcome === 'late') {
        // The server's clock was set, or was not well known yet: this answer shows what it says.
        if (wasLate) throw new Error('Redis answers too late.')
        wasLate = true
      } else {
        tally.known = higher(tally.known, reply.counts, reply.decidedAt)
        return reply
      }
    }
  }

  /** @param deadline by the clock of Redis */
  async #send(tally: Tally, { task, about }: Question, carried: Counts, deadline: number, now: number): Promise<Reply> {
    const { key, known, limits } = tally
    const { perMinute, perDay } = limits
    const hasDay = Number.isFinite(perDay)
    const clock = this.#ownClock ? now : ''
    const counts = [...pairsOf(known), ...pairsOf(carried)]
    const args = [deadline, clock, task, perMinute, hasDay ? perDay : '', ...counts, ...about]
    return parseReply(await this.#parts.connection.run('consume', key, ...args), hasDay ? 2 : 1)
  }

  /** Notes what Redis knows all the same, should its answer come after nobody waited for it any more. */
  #noteLate(tally: Tally, carried: Counts, { answering }: Attempt, call: Counts): void {
    answering?.then(
      ({ outcome }) => {
        if (outcome === 'late' || outcome === 'missing') return
        tally.share = noteTold(tally.share, carried)
        if (outcome === 'admitted') tally.share = noteTold(tally.share, call)
      },
      () => {},
    )
  }

  async #countAlone(tally: Tally, part: Circuit, now: number): Promise<Spent> {
    const isRecalled = tally.recalledIn === part.outage
    tally.recalledIn = part.outage
    if (tally.recalling || !(isRecalled || this.#untold.has(tally)))
      await this.#recall(tally, RECALL_ALONE_MS, this.#clock(part, now))
    const spent = this.#spend(tally, part, now)
    if (spent.admitted && !isAddress(tally)) this.#untold.add(tally)
    this.#decidedAlone()
    return spent
  }

  #spend(tally: Tally, part: Circuit, now: number): Spent {
    const at = this.#clock(part, now)
    if (tally.sharedIn !== part.outage) tally.share = renewShare(tally.share, tally.known, at)
    tally.sharedIn = part.outage
    const { admitted, share, decision } = spendShare(tally.share, tally.known, tally.limits, part.instances, at)
    tally.share = share
    return { admitted, decision, call: admitted ? oneCall(share) : {} }
  }

  /** @param call what is asked about, where it is counted against the share too */
  #beginTelling(tally: Tally, call: Counts = {}): Telling {
    if (isEmpty(tally.share)) return NOTHING_TOLD
    tally.share = noteTold(tally.share, call)
    const carried = untoldOf(tally.share)
    tally.share = noteTold(tally.share, carried)
    if (isEmpty(call) && isEmpty(carried)) return NOTHING_TOLD
    tally.telling += 1
    return { carried, call }
  }

  #endTelling(tally: Tally, telling: Telling): void {
    if (telling !== NOTHING_TOLD) tally.telling -= 1
  }

  #failTelling(tally: Tally, telling: Telling): void {
    this.#endTelling(tally, telling)
    tally.share = noteUntold(noteUntold(tally.share, telling.carried), telling.call)
    if (hasUntold(tally) && !isAddress(tally)) this.#untold.add(tally)
  }

  #forgetTold(tally: Tally, part: Circuit): void {
    if (hasUntold(tally)) return
    this.#untold.delete(tally)
    if (!part.isSettling) tally.share = {}
  }

  /**
   * Learns what the store has saved, if it tells soon enough. What it tells later is known to later calls. Nothing must be untold:
   * that is saved as well, and would be counted twice.
   */
  async #recall(tally: Tally, waitMs: number, at: number): Promise<void> {
    if (!tally.recall) return
    tally.recalling ??= tally
      .recall()
      .then(saved => {
        tally.known = higher(tally.known, saved, at)
        tally.share = reseedShare(tally.share, saved, at)
      })
      .finally(() => {
        tally.recalling = undefined
      })
    // Without the store there is what Redis has told last.
    await answerInTime(tally.recalling, waitMs).catch(() => {})
  }

  #clock({ clock }: Circuit, now: number): number {
    return this.#ownClock || !clock.isKnown ? now : clock.at(performance.now())
  }
}

/** What Redis is being told with a question: what was counted before, and the call that is asked about. */
interface Telling {
  carried: Counts
  call: Counts
}

const NOTHING_TOLD: Telling = { carried: {}, call: {} }

/** What was sent last, which may be answered when nobody waits for it any more. */
interface Attempt {
  answering?: Promise<Reply>
}

/** A call decided against the share. */
interface Spent {
  admitted: boolean
  decision: Decision
  /** What it has added to the share. */
  call: Counts
}

/** An address has no limit a day. */
function isAddress({ limits }: Tally): boolean {
  return !Number.isFinite(limits.perDay)
}

/** Whether Redis does not know of calls that were counted without it, or has not said yet that it does. */
function hasUntold({ share, telling }: Tally): boolean {
  return telling > 0 || !isEmpty(untoldOf(share))
}

function isEmpty({ minute, day }: { minute?: unknown; day?: unknown }): boolean {
  return !(minute || day)
}

/**
 * How a refusal looks that is due to the share alone, while Redis tells how the account stands: as that says; where calls remain by
 * it, the minute at most is to be waited for, not the day of which the share is used up.
 */
function refusedForNow({ known, limits }: Tally, { outcome, decidedAt }: Decision): Decision {
  const [minute, day] = windowsOf(known, limits, decidedAt)
  const shown = tightest([minute, day])
  if (shown.remaining === 0) return { outcome, windows: [minute, day], shown, decidedAt }
  const closed = { ...minute, remaining: 0 }
  return { outcome, windows: [closed, day], shown: closed, decidedAt }
}

/** Counts by which no more remains than a decision has shown: what a share holds back is not to be seen before it is given. */
function atLeast({ minute, day }: Counts, { windows }: Decision): Counts {
  const usedOf = (name: Window['name']) =>
    windows.reduce((used, { name: other, limit, remaining }) => (other === name ? limit - remaining : used), 0)
  return {
    ...(minute && { minute: { ...minute, used: Math.max(minute.used, usedOf('minute')) } }),
    ...(day && { day: { ...day, used: Math.max(day.used, usedOf('day')) } }),
  }
}

function pairsOf({ minute, day }: Counts): [number, number, number, number] {
  return [minute?.used ?? 0, minute?.resetsAt ?? 0, day?.used ?? 0, day?.resetsAt ?? 0]
}
