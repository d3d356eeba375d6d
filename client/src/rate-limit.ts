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
  /** `minute` or `day`; `anonymous` for calls without a valid key. */
  name: string
  limit: number
  remaining: number
  resetAt: Date
}

/**
 * Reads what an answer tells: `RateLimit-Policy` and `RateLimit` (IETF draft, RateLimit header fields for HTTP). Their seconds are counted from the
 * answer, so that it does not matter what this machine's clock says.
 * @param receivedAt Unix milliseconds
 * @returns undefined where something on the way has taken these headers off
 */
export function readRateLimit(headers: Headers, receivedAt: number): RateLimit | undefined {
  const limits = new Map(
    matches(headers.get('ratelimit-policy'), POLICY).map(([, name, limit]) => [name, Number(limit)]),
  )
  const windows = matches(headers.get('ratelimit'), STANDING).map(([, name = '', remaining, seconds]) => ({
    name,
    limit: limits.get(name) ?? Number(remaining),
    remaining: Number(remaining),
    resetAt: new Date(receivedAt + Number(seconds) * 1_000),
  }))
  const [tightest] = windows.toSorted(
    (one, other) => one.remaining - other.remaining || Number(other.resetAt) - Number(one.resetAt),
  )
  return tightest && { limit: tightest.limit, remaining: tightest.remaining, resetAt: tightest.resetAt, windows }
}

const POLICY = /"([^"]+)";q=(\d+)/g
const STANDING = /"([^"]+)";r=(\d+);t=(\d+)/g

function matches(text: string | null, pattern: RegExp): RegExpMatchArray[] {
  return [...(text ?? '').matchAll(pattern)]
}
