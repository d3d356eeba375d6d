import type { Decision } from '../domain/rate-limiter.ts'
import { secondsUntil } from '../domain/time.ts'

/**
 * The header lines that show how many calls are left (contract, "Limits"): three for the window with the fewest calls left, and both
 * windows in the format of the IETF draft.
 */
export function limitLines({ shown, windows, decidedAt }: Decision): string {
  let policies = ''
  let states = ''
  for (const { name, limit, lengthSeconds, remaining, resetsAt } of windows) {
    const separator = policies === '' ? '' : ', '
    policies += `${separator}"${name}";q=${limit};w=${lengthSeconds}`
    states += `${separator}"${name}";r=${remaining};t=${secondsUntil(resetsAt, decidedAt)}`
  }
  const resetsAt = Math.ceil(shown.resetsAt / 1_000)
  const shownLines = `X-RateLimit-Limit: ${shown.limit}\r\nX-RateLimit-Remaining: ${shown.remaining}\r\nX-RateLimit-Reset: ${resetsAt}`
  return `${shownLines}\r\nRateLimit-Policy: ${policies}\r\nRateLimit: ${states}\r\n`
}
