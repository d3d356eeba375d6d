import type { Decision } from '../domain/rate-limiter.ts'

/**
 * The headers that tell a caller how it stands (contract, "Rate limits"): the three plain ones for the window that matters most,
 * and both windows as the IETF draft writes them.
 */
export function limitHeaders({ shown, windows, decidedAt }: Decision): string[] {
  let policies = ''
  let standings = ''
  for (const { name, limit, lengthSeconds, remaining, resetsAt } of windows) {
    const separator = policies === '' ? '' : ', '
    policies += `${separator}"${name}";q=${limit};w=${lengthSeconds}`
    standings += `${separator}"${name}";r=${remaining};t=${secondsUntil(resetsAt, decidedAt)}`
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
    standings,
  ]
}

/** Whole seconds, at least 1: whoever waits exactly that long comes late enough. */
export function secondsUntil(time: number, now: number): number {
  return Math.max(1, Math.ceil((time - now) / 1_000))
}
