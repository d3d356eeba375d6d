import ipaddr from 'ipaddr.js'
import type { AddressLimiter, Decision } from '../domain/rate-limiter.ts'
import type { Address } from '../http/address.ts'
import type { Awaitable } from '../http/awaitable.ts'
import type { Sender } from '../http/call.ts'
import type { ClientAddress } from '../http/client-address.ts'

/** Counts calls that come without a valid key on whoever sent them. */
export class AnonymousCalls {
  readonly #limiter: AddressLimiter
  readonly #clientAddress: ClientAddress

  constructor(limiter: AddressLimiter, clientAddress: ClientAddress) {
    this.#limiter = limiter
    this.#clientAddress = clientAddress
  }

  consume(sender: Sender, now: number): Awaitable<Decision> {
    return this.#limiter.consume(network(this.#clientAddress(sender)), now)
  }

  consumeUnlessKnown(sender: Sender, now: number, isKnown: () => Promise<boolean>): Promise<Decision | undefined> {
    return this.#limiter.consumeUnlessKnown(network(this.#clientAddress(sender)), now, isKnown)
  }

  peek(sender: Sender, now: number): Awaitable<Decision> {
    return this.#limiter.peek(network(this.#clientAddress(sender)), now)
  }
}

/** A subscriber to IPv6 has a whole /64 to call from. */
function network(address: Address | undefined): string {
  if (!address) return 'unknown'
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}
