import { isIP } from 'node:net'

/**
 * Whether a request's `Host` is one that this listener may be called by: an address, localhost, a name without a dot, or one from the
 * settings. A page of another site can make a browser call any address under that site's own name (DNS rebinding), and would read
 * the answer. No site on the internet has a name without a dot; machines and containers call each other by such names.
 * @param names of hosts; `*.example.com` is every name below example.com
 */
export function buildIsOwnHost(names: readonly string[]): (host: string | undefined) => boolean {
  const known = names.map(name => name.toLowerCase())
  return host => {
    // Every browser names one.
    if (host === undefined || host === '') return true
    const dotted = host.toLowerCase().replace(/:\d*$/, '')
    if (isIP(dotted.replace(/^\[(.*)\]$/, '$1')) || /^[\w-]+$/.test(dotted)) return true
    const name = dotted.replace(/\.$/, '')
    // A browser itself knows that this is its own machine.
    if (name.endsWith('.localhost')) return true
    return known.some(own => (own.startsWith('*.') ? name.endsWith(own.slice(1)) : name === own))
  }
}
