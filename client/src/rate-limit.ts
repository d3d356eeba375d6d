/** How many calls an account may still make, as the last answer told. */
export interface RateLimit {
  /** The limit of the window with the fewest calls remaining. */
  limit: number
  /** The calls that remain in it. */
  remaining: number
  /** When it resets, by this machine's clock. */
  resetAt: Date
  /** Every window that counts the account's calls. */
  windows: readonly RateLimitWindow[]
}

export interface RateLimitWindow {
  /** `minute` or `day`. */
  name: string
  limit: number
  remaining: number
  resetAt: Date
}

/** One window as an answer tells of it. */
export interface Standing {
  /** `minute` or `day`; `anonymous` for calls without a valid key. */
  name: string
  limit: number
  remaining: number
  /** Counted from the answer, so that it does not matter what this machine's calendar says. Rounded up. */
  secondsToReset: number
}

/**
 * Reads `RateLimit-Policy` and `RateLimit` (IETF draft, RateLimit header fields for HTTP).
 * @returns nothing where something on the way has taken either of these headers off
 */
export function readStandings(headers: Headers): Standing[] {
  const limits = new Map(
    matches(headers.get('ratelimit-policy'), POLICY).map(([, name, limit]) => [name, Number(limit)]),
  )
  return matches(headers.get('ratelimit'), STANDING).flatMap(([, name = '', remaining, seconds]) => {
    const limit = limits.get(name)
    return limit === undefined ? [] : [{ name, limit, remaining: Number(remaining), secondsToReset: Number(seconds) }]
  })
}

const POLICY = /"([^"]+)";q=(\d+)/g
const STANDING = /"([^"]+)";r=(\d+);t=(\d{1,9})\b/g

function matches(text: string | null, pattern: RegExp): RegExpMatchArray[] {
  return [...(text ?? '').matchAll(pattern)]
}

/**
 * @param receivedAt Unix milliseconds
 * @returns undefined where nothing was told
 */
export function rateLimitOf(standings: readonly Standing[], receivedAt: number): RateLimit | undefined {
  const windows = standings.map(({ name, limit, remaining, secondsToReset }) => ({
    name,
    limit,
    remaining,
    resetAt: new Date(receivedAt + secondsToReset * 1_000),
  }))
  const [tightest] = windows.toSorted(
    (one, other) => one.remaining - other.remaining || Number(other.resetAt) - Number(one.resetAt),
  )
  return tightest && { limit: tightest.limit, remaining: tightest.remaining, resetAt: tightest.resetAt, windows }
}
