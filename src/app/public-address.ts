import type { Config } from './config.ts'

type AddressConfig = Pick<Config, 'publicUrls' | 'deployment' | 'host' | 'port' | 'tls'>

/** The public base address, with /v1: the one in the settings or, if unset, one that works on this machine. */
export function publicBaseUrl({ publicUrls, deployment, host, port, tls }: AddressConfig): string {
  return publicUrls[deployment] ?? `${tls.public ? 'https' : 'http'}://${reachable(host)}:${port}/v1`
}

/** A listener on all addresses is also reachable on the loopback address. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
