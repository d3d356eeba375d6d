import type { IncomingMessage } from 'node:http'
import type { Decision, Window } from '../domain/rate-limiter.ts'

/**
 * The headers that tell a caller how it stands (contract, "Rate limits"): the three plain ones for the window that matters most,
 * and both windows as the IETF draft writes them.
 */
export function limitHeaders({ shown, windows }: Decision, now: number): string[] {
  return [
    'X-RateLimit-Limit',
    String(shown.limit),
    'X-RateLimit-Remaining',
    String(shown.remaining),
    'X-RateLimit-Reset',
    String(Math.ceil(shown.resetsAt / 1_000)),
    'RateLimit-Policy',
    windows.map(policy).join(', '),
    'RateLimit',
    windows.map(window => `"${window.name}";r=${window.remaining};t=${secondsUntil(window.resetsAt, now)}`).join(', '),
  ]
}

/** Whole seconds, at least 1: whoever waits exactly that long comes late enough. */
export function secondsUntil(time: number, now: number): number {
  return Math.max(1, Math.ceil((time - now) / 1_000))
}

/** How often a header stands in the request: Node keeps only the first of some, and joins others. */
export function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] as string
    if (candidate.length === name.length && candidate.toLowerCase() === name) count++
  }
  return count
}

function policy({ name, limit, lengthSeconds }: Window): string {
  return `"${name}";q=${limit};w=${lengthSeconds}`
}
