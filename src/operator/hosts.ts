import { isIP } from 'node:net'

/**
 * Returns a check of the `Host` of a request. Allowed are IP addresses, localhost, names without a dot, and names from the settings.
 * Without this check, a page of another site could make a browser call this listener under that site's name (DNS rebinding) and read the
 * response. Names without a dot are used between machines and containers, not on the internet.
 * @param names of hosts; `*.example.com` is every name below example.com
 */
export function buildIsOwnHost(names: readonly string[]): (host: string | undefined) => boolean {
  const known = names.map(name => name.toLowerCase())
  return host => {
    // Browsers always send one.
    if (host === undefined || host === '') return true
    const dotted = host.toLowerCase().replace(/:\d*$/, '')
    if (isIP(dotted.replace(/^\[(.*)\]$/, '$1')) || /^[\w-]+$/.test(dotted)) return true
    const name = dotted.replace(/\.$/, '')
    // Browsers resolve these to their own machine.
    if (name.endsWith('.localhost')) return true
    return known.some(own => (own.startsWith('*.') ? name.endsWith(own.slice(1)) : name === own))
  }
}
