import { formatCount } from '../domain/format-number.ts'
import type { Decision } from '../domain/rate-limiter.ts'
import { secondsUntil } from '../domain/time.ts'
import { Refusal } from '../http/refusal.ts'
import type { PublicCall } from './call.ts'

/**
 * The gates "ban" and "quota", which are one step, for a counted call.
 * @throws Refusal rate_limit_exceeded, api_key_banned
 */
export function admit(call: PublicCall, decision: Decision): void {
  call.decision = decision
  const refusal = refusalUnlessAdmitted(decision)
  if (refusal) throw refusal
}

export function refusalUnlessAdmitted({ outcome, shown, decidedAt }: Decision): Refusal | undefined {
  if (outcome === 'admitted') return undefined
  const seconds = secondsUntil(shown.resetsAt, decidedAt)
  const headers = { 'Retry-After': String(seconds) }
  if (outcome === 'banned') {
    const message = `Calls with this API key from this address continued after 429 responses, so they are banned; retry in ${formatCount(seconds, 'second')}.`
    return new Refusal('api_key_banned', message, { headers })
  }
  const period = shown.name === 'day' ? 'day' : 'minute'
  const message = `The limit of ${formatCount(shown.limit, 'call')} per ${period} is used up; retry in ${formatCount(seconds, 'second')}.`
  return new Refusal('rate_limit_exceeded', message, { headers })
}
