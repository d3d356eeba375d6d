import type { AddressLimiter, Decision } from '../domain/rate-limiter.ts'
import { networkOf } from '../http/address.ts'
import { type Awaitable, whenReady } from '../http/awaitable.ts'
import type { Sender } from '../http/call.ts'
import type { ClientAddress } from '../http/client-address.ts'
import type { PublicCall } from './call.ts'

export type StrangerCall = Pick<PublicCall, 'request' | 'now' | 'decision' | 'keyId'>

/** The calls without a valid key, which count against their addresses. */
export interface Strangers {
  /** The address of a sender, or its network, which calls count against. */
  sourceOf(sender: Sender): string
  /** How many calls of this address may have look-ups in progress. */
  room(call: StrangerCall): number
  /** Counts the call, unless that has been done. */
  count(call: StrangerCall): Awaitable<Decision>
}

export function buildStrangers(addresses: AddressLimiter, clientAddress: ClientAddress): Strangers {
  const sourceOf = (sender: Sender) => networkOf(clientAddress(sender))
  return {
    sourceOf,
    room: call => addresses.room(sourceOf(call.request), call.now),
    count: call =>
      call.decision ??
      whenReady(addresses.consume(sourceOf(call.request), call.now), decision => {
        call.decision = decision
        return decision
      }),
  }
}
