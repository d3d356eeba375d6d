/** One temporary ban of one API key. Times are Unix milliseconds. */
export interface Ban extends BanTerm {
  id: bigint
  keyId: bigint
  liftedAt: number | undefined
}

export interface BanTerm {
  startedAt: number
  endsAt: number
  /** 1 for a first ban, one more for each that follows without 24 clean hours in between. */
  ordinal: number
}

/** When a key is banned, and for how long. */
export interface BanPolicy {
  /** How many ignored refusals earn a ban. */
  after: number
  withinSeconds: number
  forSeconds: number
  maxSeconds: number
}

/** How a key takes its refusals: what is remembered of a key that meets 429s. */
export interface Strikes {
  /** Which exhausted window the first refusal was about, told by its end. */
  windowResetsAt: number
  firstRefusedAt: number
  /** When refusals were ignored, oldest first. */
  times: readonly number[]
}

/** Calls sent before their sender can have read the first 429 are no strikes. */
const GRACE_MS = 1_000
const FORGIVEN_AFTER_MS = 24 * 60 * 60 * 1_000

/** What a key's strikes become when one more of its calls is refused at `now`. */
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

/** The ban that a key earns at `now`: twice as long each further time, forgiven after 24 hours without one. */
export function nextBan(last: Ban | undefined, now: number, policy: BanPolicy): BanTerm {
  const forgiven = !last || now - endOf(last) >= FORGIVEN_AFTER_MS
  const ordinal = forgiven ? 1 : last.ordinal + 1
  const seconds = Math.min(policy.forSeconds * 2 ** (ordinal - 1), policy.maxSeconds)
  return { startedAt: now, endsAt: now + seconds * 1_000, ordinal }
}

/** Whether the ban holds at `now`. */
export function isInForce(ban: Ban, now: number): boolean {
  return now < endOf(ban)
}

function endOf(ban: Ban): number {
  return ban.liftedAt ?? ban.endsAt
}
