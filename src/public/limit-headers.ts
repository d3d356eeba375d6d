import type { Decision, Window } from '../domain/rate-limiter.ts'
import { secondsUntil } from '../domain/time.ts'
import { flat } from '../http/header-lines.ts'

/**
 * The header lines that show how many calls are left (contract, "Limits"): three for the window with the fewest calls left, and both
 * windows in the format of the IETF draft.
 */
export function limitLines({ shown, windows, decidedAt }: Decision): string {
  let policies = ''
  let states = ''
  for (const window of windows) {
    const { policy, state } = partsOf(window)
    const separator = policies === '' ? '' : ', '
    policies += separator + policy
    states += `${separator + state + window.remaining};t=${secondsUntil(window.resetsAt, decidedAt)}`
  }
  const resetsAt = Math.ceil(shown.resetsAt / 1_000)
  const shownLines = `X-RateLimit-Limit: ${shown.limit}\r\nX-RateLimit-Remaining: ${shown.remaining}\r\nX-RateLimit-Reset: ${resetsAt}`
  return `${shownLines}\r\nRateLimit-Policy: ${policies}\r\nRateLimit: ${states}\r\n`
}

/** The text that all answers with this window share. */
interface Parts {
  policy: string
  /** The text before the number of calls left. */
  state: string
}

/** Most callers have the limits of one of a few plans. */
const MAX_KNOWN = 1_000
/** By limit. */
const known = { minute: new Map<number, Parts>(), day: new Map<number, Parts>(), anonymous: new Map<number, Parts>() }

function partsOf({ name, limit, lengthSeconds }: Window): Parts {
  const before = known[name].get(limit)
  if (before) return before
  const parts = { policy: flat(`"${name}";q=${limit};w=${lengthSeconds}`), state: flat(`"${name}";r=`) }
  if (known[name].size === MAX_KNOWN) known[name].clear()
  known[name].set(limit, parts)
  return parts
}
