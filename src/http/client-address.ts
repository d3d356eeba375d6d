import ipaddr from 'ipaddr.js'
import type { Sender } from './call.ts'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Tells whose address a call comes from, if that can be told. */
export type ClientAddress = (sender: Sender) => Address | undefined

/**
 * The last address on the way that no trusted proxy stands at: whatever is left of it in `X-Forwarded-For` may be invented.
 * @param trustedProxies addresses or CIDR ranges whose `X-Forwarded-For` is believed
 */
export function buildClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const ranges = trustedProxies.map(parseRange)

  function isTrusted(address: Address): boolean {
    return ranges.some(([network, bits]) => {
      return address.kind() === network.kind() && address.match(network as ipaddr.IPv4 & ipaddr.IPv6, bits)
    })
  }

  return ({ socket, headers }) => {
    let address = parseAddress(socket.remoteAddress ?? '')
    const forwarded = ranges.length > 0 ? headers['x-forwarded-for'] : undefined
    const hops = forwarded === undefined ? [] : String(forwarded).split(',')
    while (address && isTrusted(address)) {
      const next = parseAddress(hops.pop()?.trim() ?? '')
      if (!next) break
      address = next
    }
    return address
  }
}

/** Some proxies write the port behind the address, and an IPv6 address then in brackets. */
function parseAddress(text: string): Address | undefined {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined
}

function parseRange(text: string): [Address, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
