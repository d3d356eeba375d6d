import type { Decision } from '../domain/rate-limiter.ts'
import { secondsUntil } from '../domain/time.ts'

/**
 * The headers that show how many calls are left (contract, "Limits"): three for the window with the fewest calls, and both windows in the
 * format of the IETF draft.
 */
export function limitHeaders({ shown, windows, decidedAt }: Decision): string[] {
  let policies = ''
  let states = ''
  for (const { name, limit, lengthSeconds, remaining, resetsAt } of windows) {
    const separator = policies === '' ? '' : ', '
    policies += `${separator}"${name}";q=${limit};w=${lengthSeconds}`
    states += `${separator}"${name}";r=${remaining};t=${secondsUntil(resetsAt, decidedAt)}`
  }
  return [
    'X-RateLimit-Limit',
    String(shown.limit),
    'X-RateLimit-Remaining',
    String(shown.remaining),
    'X-RateLimit-Reset',
    String(Math.ceil(shown.resetsAt / 1_000)),
    'RateLimit-Policy',
    policies,
    'RateLimit',
    states,
  ]
}
