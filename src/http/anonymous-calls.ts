import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import type { Decision } from '../domain/rate-limiter.ts'

/** Counts calls without a valid key per client address; see src/memory/anonymous-limiter.ts. */
export interface AddressLimiter {
  consume(address: string, now: number): Decision
  peek(address: string, now: number): Decision
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Knows whose address a call comes from. */
export class AnonymousCalls {
  readonly #limiter: AddressLimiter
  readonly #trustedProxies: readonly Range[]

  /** @param trustedProxies addresses or CIDR ranges whose `X-Forwarded-For` is believed */
  constructor(limiter: AddressLimiter, trustedProxies: readonly string[]) {
    this.#limiter = limiter
    this.#trustedProxies = trustedProxies.map(parseRange)
  }

  consume(request: Pick<IncomingMessage, 'socket' | 'headers'>, now: number): Decision {
    return this.#limiter.consume(this.#addressOf(request), now)
  }

  peek(request: Pick<IncomingMessage, 'socket' | 'headers'>, now: number): Decision {
    return this.#limiter.peek(this.#addressOf(request), now)
  }

  /** The last address on the way that no trusted proxy stands at: whatever is left of it may be invented. */
  #addressOf({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string {
    let address = parseAddress(socket.remoteAddress ?? '')
    const forwarded = this.#trustedProxies.length > 0 ? headers['x-forwarded-for'] : undefined
    const hops = forwarded === undefined ? [] : String(forwarded).split(',')
    while (address && this.#isTrusted(address)) {
      const next = parseAddress(hops.pop()?.trim() ?? '')
      if (!next) break
      address = next
    }
    return address ? network(address) : 'unknown'
  }

  #isTrusted(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
    return this.#trustedProxies.some(([network, bits]) => {
      return address.kind() === network.kind() && address.match(network as ipaddr.IPv4 & ipaddr.IPv6, bits)
    })
  }
}

/** A subscriber to IPv6 has a whole /64 to call from. */
function network(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined
}

function parseRange(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
