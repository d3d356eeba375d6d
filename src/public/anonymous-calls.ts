import type { AddressLimiter, Decision } from '../domain/rate-limiter.ts'
import { networkOf } from '../http/address.ts'
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
    return this.#limiter.consume(networkOf(this.#clientAddress(sender)), now)
  }

  peek(sender: Sender, now: number): Awaitable<Decision> {
    return this.#limiter.peek(networkOf(this.#clientAddress(sender)), now)
  }
}
