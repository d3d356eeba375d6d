import type { Decision } from '../domain/rate-limiter.ts'
import { secondsUntil } from '../domain/time.ts'

/**
 * The header lines that show how many calls are left (contract, "Limits"): three for the window with the fewest calls left, and both
 * windows in the format of the IETF draft.
 */
export function limitLines({ shown, windows, decidedAt }: Decision): string {
  const policies = windows.map(({ name, limit, lengthSeconds }) => `"${name}";q=${limit};w=${lengthSeconds}`)
  const states = windows.map(({ name, remaining, resetsAt }) => {
    return `"${name}";r=${remaining};t=${secondsUntil(resetsAt, decidedAt)}`
  })
  const resetsAt = Math.ceil(shown.resetsAt / 1_000)
  const shownLines = `X-RateLimit-Limit: ${shown.limit}\r\nX-RateLimit-Remaining: ${shown.remaining}\r\nX-RateLimit-Reset: ${resetsAt}`
  return `${shownLines}\r\nRateLimit-Policy: ${policies.join(', ')}\r\nRateLimit: ${states.join(', ')}\r\n`
}
