import ipaddr from 'ipaddr.js'
import { invalid } from './errors.ts'

export const MAX_NETWORKS = 20

/**
 * Parses the networks that a key may call from: IP addresses and CIDR ranges. Returns CIDR ranges with all bits after the prefix cleared,
 * without duplicates. A range of IPv4-mapped IPv6 addresses becomes an IPv4 range, as clients' addresses do.
 * @throws UserError
 */
export function parseNetworks(texts: readonly string[]): string[] {
  if (texts.length < 1 || texts.length > MAX_NETWORKS) {
    throw invalid(`A key can be restricted to 1 to ${MAX_NETWORKS} networks.`)
  }
  return [...new Set(texts.map(parseNetwork))]
}

const BYTE = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
const IPV4 = `(${BYTE}[.]){3}${BYTE}`
const WORD = '[0-9A-Fa-f]{1,4}'
const IPV6 = [
  `(${WORD}:){7}${WORD}`,
  // With "::": a number of words before it, and after it at most as many as still leave at least one word out.
  ...[1, 2, 3, 4, 5, 6].map(before => `(${WORD}:){${before}}(:${WORD}){1,${7 - before}}`),
  `(${WORD}:){1,7}:`,
  `:(:${WORD}){1,7}`,
  '::',
  `::[Ff]{4}:${IPV4}`,
].join('|')

/** An IP address or a CIDR range. The slash is in brackets so that it does not end the pattern in generated code. */
export const NETWORK_PATTERN = `^(${IPV4}([/](3[0-2]|[12]?[0-9]))?|(${IPV6})([/](12[0-8]|1[01][0-9]|[1-9]?[0-9]))?)$`

const PATTERN = new RegExp(NETWORK_PATTERN)

export function isNetwork(text: string): boolean {
  return PATTERN.test(text)
}

/** Whether a text is an address in a network, or the network itself. */
export function matchesNetwork(text: string, network: string): boolean {
  const bits = network.split('/')[1]
  const range = text.includes('/') || bits === undefined ? text : `${text}/${bits}`
  return [range, network].every(isNetwork) && parseNetwork(range) === parseNetwork(network)
}

function parseNetwork(text: string): string {
  if (!isNetwork(text)) {
    const examples = 'such as 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32'
    throw invalid(`A network must be an IP address or a CIDR range, ${examples}; "${text.slice(0, 50)}" is neither.`)
  }
  if (!text.includes(':')) {
    const [range, bits] = withPrefix(text, 32)
    return `${ipaddr.IPv4.networkAddressFromCIDR(range)}/${bits}`
  }
  const [range, bits] = withPrefix(text, 128)
  const network = ipaddr.IPv6.networkAddressFromCIDR(range)
  return network.isIPv4MappedAddress() ? `${network.toIPv4Address()}/${bits - MAPPED_BITS}` : `${network}/${bits}`
}

/** The length of ::ffff:0:0/96. A shorter prefix leaves no IPv4-mapped address. */
const MAPPED_BITS = 96

/** A range and the length of its prefix; for an address, all its bits. */
function withPrefix(text: string, addressBits: number): [range: string, bits: number] {
  const bits = Number(text.split('/')[1] ?? addressBits)
  return [text.includes('/') ? text : `${text}/${bits}`, bits]
}
