import ipaddr from 'ipaddr.js'
import type { Address } from './address.ts'

/** Tells whether an address is that of a proxy which is believed when it says for whom it calls. */
export type IsTrusted = (address: Address) => boolean

/** @param trustedProxies addresses or CIDR ranges */
export function buildIsTrusted(trustedProxies: readonly string[]): IsTrusted {
  const ranges = trustedProxies.map(parseRange)
  return address =>
    ranges.some(([network, bits]) => {
      return address.kind() === network.kind() && address.match(network as ipaddr.IPv4 & ipaddr.IPv6, bits)
    })
}

function parseRange(text: string): [Address, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
