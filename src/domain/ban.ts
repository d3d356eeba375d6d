import { DAY_MS } from './time.ts'

/** One temporary ban of one API key. Times are Unix milliseconds. */
export interface Ban extends BanTerm {
  id: bigint
  keyId: bigint
  liftedAt: number | undefined
}

export interface BanTerm {
  startedAt: number
  endsAt: number
  /** Which ban in a row this is: 1 is the first. The row ends after 24 hours without a ban. */
  ordinal: number
}

/** When a key is banned, and for how long. */
export interface BanPolicy {
  /** A key is banned if it ignores this many refusals within this time. */
  after: number
  withinSeconds: number
  forSeconds: number
  maxSeconds: number
}

/** The refusals (429) of one key that count towards a ban. Times are Unix milliseconds. */
export interface Strikes {
  /** The end of the window that refused the key first. */
  windowResetsAt: number
  firstRefusedAt: number
  /** When the key ignored a refusal, oldest first. */
  times: readonly number[]
}

/** Calls sent before the client can have read the first 429 are not strikes. */
const GRACE_MS = 1_000
const FORGIVEN_AFTER_MS = DAY_MS

/** Updates the strikes of a key after another refusal at `now`. */
export function strike(
  strikes: Strikes | undefined,
  windowResetsAt: number,
  now: number,
  policy: BanPolicy,
): { strikes: Strikes; earnsBan: boolean } {
  const recent = strikes?.times.filter(time => time > now - policy.withinSeconds * 1_000) ?? []
  if (strikes?.windowResetsAt !== windowResetsAt) {
    return { strikes: { windowResetsAt, firstRefusedAt: now, times: recent }, earnsBan: false }
  }
  const ignored = now - strikes.firstRefusedAt >= GRACE_MS
  const times = ignored ? [...recent, now] : recent
  return { strikes: { ...strikes, times }, earnsBan: times.length >= policy.after }
}

/** The ban that a key earns at `now`. Each ban in a row is twice as long; 24 hours without a ban end the row. */
export function nextBan(last: Ban | undefined, now: number, policy: BanPolicy): BanTerm {
  const forgiven = !last || now - endOf(last) >= FORGIVEN_AFTER_MS
  const ordinal = forgiven ? 1 : last.ordinal + 1
  const seconds = Math.min(policy.forSeconds * 2 ** (ordinal - 1), policy.maxSeconds)
  return { startedAt: now, endsAt: now + seconds * 1_000, ordinal }
}

export function isInForce(ban: Ban, now: number): boolean {
  return now < endOf(ban)
}

export const BAN_STATES = ['in-force', 'over', 'lifted'] as const

export type BanState = (typeof BAN_STATES)[number]

export function banState(ban: Ban, now: number): BanState {
  if (ban.liftedAt !== undefined) return 'lifted'
  return isInForce(ban, now) ? 'in-force' : 'over'
}

function endOf(ban: Ban): number {
  return ban.liftedAt ?? ban.endsAt
}
