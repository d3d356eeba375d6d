/** The remaining calls of an account, as of the last response. */
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

/** A window as the headers of an answer show it. */
export interface WindowHeader {
  /** `minute` or `day`; `anonymous` for calls without a valid key. */
  name: string
  limit: number
  remaining: number
  /** Counted from the time of the answer, so that this machine's wall clock does not matter. Rounded up. */
  secondsToReset: number
}

/** A little over a day, the longest window of the service. A false answer may name a longer one. */
export const MAX_WINDOW_SECONDS: number = 25 * 60 * 60

/**
 * Reads `RateLimit-Policy` and `RateLimit` (IETF draft, RateLimit header fields for HTTP).
 * @returns an empty list if a proxy has removed either header
 */
export function readWindows(headers: Headers): WindowHeader[] {
  const policies = [...(headers.get('ratelimit-policy') ?? '').matchAll(/"([^"]+)";q=(\d+)/g)]
  const limits = new Map(policies.map(([, name, limit]) => [name, Number(limit)]))
  const windows = (headers.get('ratelimit') ?? '').matchAll(/"([^"]+)";r=(\d+);t=(\d{1,9})\b/g)
  return [...windows].flatMap(([, name = '', remaining, seconds]) => {
    const limit = limits.get(name)
    const secondsToReset = Math.min(Number(seconds), MAX_WINDOW_SECONDS)
    return limit === undefined ? [] : [{ name, limit, remaining: Number(remaining), secondsToReset }]
  })
}

/** @param receivedAt Unix milliseconds */
export function rateLimitOf(headers: readonly WindowHeader[], receivedAt: number): RateLimit | undefined {
  const windows = headers.map(({ secondsToReset, ...window }) => {
    return { ...window, resetAt: new Date(receivedAt + secondsToReset * 1_000) }
  })
  const [tightest] = windows.toSorted(
    (one, other) => one.remaining - other.remaining || Number(other.resetAt) - Number(one.resetAt),
  )
  return tightest && { limit: tightest.limit, remaining: tightest.remaining, resetAt: tightest.resetAt, windows }
}
