import { isIP } from 'node:net'

/**
 * Whether a request's `Host` is one that this listener may be called by: an address, localhost, or a name from the settings. A page of
 * another site can make a browser call any address under that site's own name (DNS rebinding), and would read what it answers.
 * @param names of hosts; `*.example.com` is every name below example.com
 */
export function buildIsOwnHost(names: readonly string[]): (host: string | undefined) => boolean {
  const known = names.map(name => name.toLowerCase())
  return host => {
    // Every browser names one.
    if (host === undefined || host === '') return true
    const name = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
    if (isIP(name.replace(/^\[(.*)\]$/, '$1'))) return true
    // A browser itself knows that these are this machine.
    if (name === 'localhost' || name.endsWith('.localhost')) return true
    return known.some(own => (own.startsWith('*.') ? name.endsWith(own.slice(1)) : name === own))
  }
}
