import type { Caller } from '../domain/account.ts'
import { Refusal } from '../domain/errors.ts'
import type { Decision, RateLimiter } from '../domain/rate-limiter.ts'
import { type Awaitable, whenReady } from '../http/awaitable.ts'
import type { Call } from '../http/call.ts'
import type { AnonymousCalls } from './anonymous-calls.ts'
import { secondsUntil } from './limit-headers.ts'

/** Counts a caller's call, or refuses it: the gates "ban" and "quota", which are one step. */
export function admitCaller(call: Call, caller: Caller, limiter: RateLimiter): Awaitable<void> {
  return whenReady(limiter.consume(caller, call.now), decision => admit(call, decision))
}

/** Counts a call without a valid key on its client's address, or refuses it. */
export function admitAnonymous(call: Call, anonymous: AnonymousCalls): Awaitable<void> {
  return whenReady(anonymous.consume(call.request, call.now), decision => admit(call, decision))
}

/** Why a call that was not admitted is refused. */
export function refusalUnlessAdmitted({ outcome, shown, decidedAt }: Decision): Refusal | undefined {
  if (outcome === 'admitted') return undefined
  const seconds = secondsUntil(shown.resetsAt, decidedAt)
  const headers = { 'Retry-After': String(seconds) }
  if (outcome === 'banned') {
    const message = `This API key went on calling after 429 answers and is banned; retry in ${seconds} seconds.`
    return new Refusal('api_key_banned', message, { headers })
  }
  const period = shown.name === 'day' ? 'day' : 'minute'
  const message = `The limit of ${shown.limit} calls per ${period} is used up; retry in ${seconds} seconds.`
  return new Refusal('rate_limit_exceeded', message, { headers })
}

/** @throws Refusal rate_limit_exceeded, api_key_banned */
function admit(call: Call, decision: Decision): void {
  call.decision = decision
  const refusal = refusalUnlessAdmitted(decision)
  if (refusal) throw refusal
}
