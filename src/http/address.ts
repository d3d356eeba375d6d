import ipaddr from 'ipaddr.js'

/** Of IPv4, also where it was written as IPv6, or of IPv6. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Whom an address is counted as: a subscriber to IPv6 has a whole /64 to call from. */
export function networkOf(address: Address | undefined): string {
  if (!address) return 'unknown'
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}

/** Some proxies write the port behind the address, and an IPv6 address then in brackets. */
export function parseAddress(text: string): Address | undefined {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined
}
