import type { Limits } from './plan.ts'
import { DAY_MS } from './time.ts'

/** One temporary ban of one API key for one source. Times are Unix milliseconds. */
export interface Ban extends BanTerm {
  id: bigint
  keyId: bigint
  liftedAt: number | undefined
}

export interface BanTerm {
  /** A client address, or the /64 of an IPv6 address. Undefined for a ban by an earlier release, which applies to every source. */
  source: string | undefined
  /** The window that was exhausted; undefined for a ban by an earlier release. */
  earnedIn: BanWindow | undefined
  startedAt: number
  endsAt: number
  /** Which ban in a row this is: 1 is the first. The row ends after 24 hours without a ban. */
  ordinal: number
}

export const BAN_WINDOWS = ['minute', 'day'] as const

export type BanWindow = (typeof BAN_WINDOWS)[number]

/** When a key is banned for a source, and for how long. */
export interface BanPolicy {
  /** How many refusals a source has to ignore within this time; undefined if that depends on the plan. */
  after: number | undefined
  withinSeconds: number
  forSeconds: number
  maxSeconds: number
}

/** The refusals (429) of one source with one key in one exhausted window. Times are Unix milliseconds. */
export interface Strikes {
  firstRefusedAt: number
  /** When the source ignored a refusal, oldest first. */
  times: readonly number[]
}

/** A refused call sooner after the first one may have been queued or in flight, so it is not a strike. */
export const GRACE_MS = 10_000
/** How many sources are remembered for each key. */
export const MAX_SOURCES = 256
/** How many bans of one key may be in force. Callers choose their sources, and each ban is a stored record. */
export const MAX_BANS = 100

const MIN_AFTER = 60
const MAX_AFTER = 300
const FORGIVEN_AFTER_MS = DAY_MS

/** How many refusals a source has to ignore: by default as many as the plan admits calls per minute, within bounds. */
export function banAfter({ after }: BanPolicy, { perMinute }: Limits): number {
  return after ?? Math.min(Math.max(perMinute, MIN_AFTER), MAX_AFTER)
}

/**
 * Updates the strikes of a source after another refusal at `now`, in the same window.
 * @param after how many strikes earn a ban
 */
export function strike(
  strikes: Strikes | undefined,
  now: number,
  after: number,
  withinSeconds: number,
): { strikes: Strikes; earnsBan: boolean } {
  if (!strikes) return { strikes: { firstRefusedAt: now, times: [] }, earnsBan: false }
  const { firstRefusedAt, times } = strikes
  if (now - firstRefusedAt < GRACE_MS) return { strikes, earnsBan: false }
  const firstRecent = times.findIndex(time => time > now - withinSeconds * 1_000)
  const recent = firstRecent < 0 ? [] : times.slice(Math.max(firstRecent, times.length - after + 1))
  recent.push(now)
  return { strikes: { firstRefusedAt, times: recent }, earnsBan: recent.length >= after }
}

/**
 * The ban that a source earns at `now` in an exhausted window. Each ban in a row is twice as long; 24 hours without a ban end the row. In an
 * exhausted day, callers that limit how long they wait return until midnight, and do no harm: such a ban ends with the day.
 * @param last the newest ban of the source that lengthens the next one: those of an exhausted day do not (`lastBanOf` in `sql/bans.ts`)
 */
export function nextBan(
  last: Ban | undefined,
  source: string,
  window: { name: string; resetsAt: number },
  now: number,
  policy: BanPolicy,
): BanTerm {
  const isForgiven = !last || now - (last.liftedAt ?? last.endsAt) >= FORGIVEN_AFTER_MS
  const ordinal = isForgiven ? 1 : last.ordinal + 1
  const endsAt = now + Math.min(policy.forSeconds * 2 ** (ordinal - 1), policy.maxSeconds) * 1_000
  return window.name === 'day'
    ? { source, earnedIn: 'day', startedAt: now, endsAt: Math.min(endsAt, window.resetsAt), ordinal }
    : { source, earnedIn: 'minute', startedAt: now, endsAt, ordinal }
}

/** The newest of these bans that applies to the source, in force or not. @param bans of one key, newest first */
export function banOfSource(bans: readonly Ban[], source: string): Ban | undefined {
  return bans.find(ban => ban.source === undefined || ban.source === source)
}

export function isInForce({ liftedAt, endsAt }: Ban, now: number): boolean {
  return liftedAt === undefined && now < endsAt
}

export const BAN_STATES = ['in-force', 'over', 'lifted'] as const

export type BanState = (typeof BAN_STATES)[number]

export function banState(ban: Ban, now: number): BanState {
  if (ban.liftedAt !== undefined) return 'lifted'
  return isInForce(ban, now) ? 'in-force' : 'over'
}
