import type { BanPolicy } from '../domain/ban.ts'
import type { Deployment } from '../domain/deployment.ts'
import { ConfigError } from './setting-values.ts'
import { type Environment, SETTINGS, type Setting, type SettingValues } from './settings.ts'

type Grouped = 'productionUrl' | 'stagingUrl' | 'banAfter' | 'banWithin' | 'banFor' | 'banMax'

/** How this process runs: the values of all settings. */
export interface Config extends Omit<SettingValues, Grouped> {
  /** Base addresses with /v1 and without a trailing slash. If one is missing, the listener's own address counts. */
  publicUrls: Partial<Record<Deployment, string>>
  ban: BanPolicy
}

/**
 * Reads the settings. An empty variable counts as unset.
 * @throws ConfigError that reports every problem, one per line
 */
export function parseConfig(env: Environment): Config {
  const problems: string[] = []
  const read = ({ name, default: fallback, parse }: Setting) => {
    try {
      return parse(env[name]?.trim() || fallback)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(`${name} ${error.message}`)
      return undefined
    }
  }
  const entries = Object.entries(SETTINGS).map(([key, setting]) => [key, read(setting)])
  const values = Object.fromEntries(entries) as SettingValues
  problems.push(...findConflicts(values))
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))

  const { productionUrl, stagingUrl, banAfter, banWithin, banFor, banMax, ...others } = values
  return {
    ...others,
    publicUrls: { ...(productionUrl && { production: productionUrl }), ...(stagingUrl && { staging: stagingUrl }) },
    ban: { after: banAfter, withinSeconds: banWithin, forSeconds: banFor, maxSeconds: banMax },
  }
}

/** Settings that are valid on their own but not together. An invalid one is undefined, and in conflict with none. */
function findConflicts(values: Partial<SettingValues>): string[] {
  const { banFor = 0, banMax = banFor, host, port, operatorHost, operatorPort, proxyProtocol, trustedProxies } = values
  const conflicts: string[] = []
  if (banMax < banFor) {
    conflicts.push(`${SETTINGS.banMax.name} (${banMax}) must be at least ${SETTINGS.banFor.name} (${banFor}).`)
  }
  const isAnyAddress = [host, operatorHost].some(address => address === '0.0.0.0' || address === '::')
  if (port && port === operatorPort && (isAnyAddress || host === operatorHost)) {
    conflicts.push(`${SETTINGS.operatorPort.name} (${operatorPort}) must differ from ${SETTINGS.port.name}.`)
  }
  if (proxyProtocol && trustedProxies?.length === 0) {
    conflicts.push(
      `${SETTINGS.proxyProtocol.name} is on, so ${SETTINGS.trustedProxies.name} must list the proxies that use it.`,
    )
  }
  return conflicts
}
