import { isLoopback, localHost } from '../domain/listening-host.ts'
import type { Config } from './config.ts'
import { ConfigError } from './setting-values.ts'
import { SETTINGS } from './settings.ts'

type AddressConfig = Pick<Config, 'publicUrls' | 'deployment' | 'host' | 'port' | 'tls'>

/**
 * The public base address, with /v1: the one in the settings or, if unset, that of the listener, which callers on this machine can use.
 * @throws ConfigError if other machines can reach the listener, because its address may be another one for them
 */
export function publicBaseUrl({ publicUrls, deployment, host, port, tls }: AddressConfig): string {
  const known = publicUrls[deployment]
  if (known !== undefined) return known
  const scheme = tls.public ? 'https' : 'http'
  if (isLoopback(host)) return `${scheme}://${localHost(host)}:${port}/v1`
  const needed = `${publicUrlSetting(deployment).name}, the address that callers use`
  throw new ConfigError(
    `${SETTINGS.host.name}=${host} needs ${needed}, such as ${scheme}://ADDRESS:${port === 0 ? 'PORT' : port}/v1.`,
  )
}

export function publicUrlSetting(deployment: Config['deployment']) {
  return deployment === 'staging' ? SETTINGS.stagingUrl : SETTINGS.productionUrl
}
