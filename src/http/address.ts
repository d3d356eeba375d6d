import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An IPv4 address, even if it was written as IPv6, or an IPv6 address. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The network that an address counts as, such as 203.0.113.7 or 2001:db8:1:2::/64: an IPv6 subscriber can call from a whole /64. */
export function networkOf(address: Address | undefined): string {
  if (!address) return 'unknown'
  if (!(address instanceof ipaddr.IPv6)) return address.toString()
  const words = address.parts.slice(0, 4)
  while (words.at(-1) === 0) words.pop()
  return `${words.map(word => word.toString(16)).join(':')}::/64`
}

/** @param networks addresses or CIDR ranges */
export function buildIsWithin(networks: readonly string[]): (address: Address) => boolean {
  const ranges = networks.map(parseRange)
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

/** Some proxies append the port to the address, and then put IPv6 addresses in brackets. */
export function parseAddress(text: string): Address | undefined {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  // ipaddr.js alone would also accept 127.1 and 198.51.100.010, which ends in 8 for some programs and in 10 for others.
  return isIP(bare) ? ipaddr.process(bare) : undefined
}
