import ipaddr from 'ipaddr.js'

/** An IPv4 address, even if it was written as IPv6, or an IPv6 address. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The network that an address is counted as: with IPv6, a subscriber can call from a whole /64. */
export function networkOf(address: Address | undefined): string {
  if (!address) return 'unknown'
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}

/** Some proxies add the port to the address, and then put an IPv6 address in brackets. */
export function parseAddress(text: string): Address | undefined {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined
}
