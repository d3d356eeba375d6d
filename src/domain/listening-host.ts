/** The host that a listener listens on: an IP address, in any spelling, or a host name. */

const WILDCARDS = ['0.0.0.0', '[::]', '[::ffff:0:0]']

/** Whether a listener on this host listens on all addresses of the machine. */
export function isWildcard(host: string): boolean {
  return WILDCARDS.includes(normalize(host))
}

/** Whether only this machine can reach a listener on this host. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.[\d.]+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\])$/.test(normalize(host))
}

/** The host in a URL that reaches the listener from this machine. One on all addresses is also reachable on the loopback address. */
export function localHost(host: string): string {
  return isWildcard(host) ? '127.0.0.1' : bracketed(host)
}

/** URLs have only one spelling of an address (WHATWG URL, "host serializing"): 0 is 0.0.0.0, and ::0 is [::]. */
function normalize(host: string): string {
  return URL.parse(`http://${bracketed(host)}`)?.hostname ?? host
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
