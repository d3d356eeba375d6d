import { isIPv4 } from 'node:net'
import { type Config, ConfigError, type Environment, findUnknownSettings, parseConfig, SETTINGS } from '../config.ts'
import type { Finding } from './finding.ts'

const CHECK = 'settings'

/** What is set, or why it cannot be used. */
interface ReadSettings {
  config: Config | undefined
  mistakes: readonly string[]
  /** Where the store is and where calls are counted, even if other settings cannot be used. */
  places: Pick<Config, 'dataFolder' | 'databaseUrl' | 'redisUrls'> | undefined
}

const PLACES = [SETTINGS.dataFolder.name, SETTINGS.databaseUrl.name, SETTINGS.redisUrl.name]

export function readSettings(env: Environment): ReadSettings {
  const { config, mistakes } = read(env)
  const places = config ?? read(Object.fromEntries(PLACES.map(name => [name, env[name]]))).config
  return { config, mistakes, places }
}

function read(env: Environment): Omit<ReadSettings, 'places'> {
  try {
    return { config: parseConfig(env), mistakes: [] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { config: undefined, mistakes: error.message.split('\n') }
  }
}

/** Whether every setting can be used, and every variable that looks like one is one. */
export function checkSettings(env: Environment, { config, mistakes }: ReadSettings): Finding[] {
  const failures = mistakes.map((message): Finding => ({ check: CHECK, outcome: 'fail', message }))
  const slips = findUnknownSettings(env).map(slip => warning(sentence(slip)))
  const hints = config ? [...missingAddress(config), ...missingDatabase(config)] : []
  const findings = [...failures, ...slips, ...hints]
  return findings.length > 0 ? findings : [{ check: CHECK, outcome: 'ok', message: 'Every setting can be used.' }]
}

/** Who calls from this machine alone, and directly, gets links that lead back; of several instances, to the one that answered. */
function missingAddress({ deployment, publicUrls, host, trustedProxies, databaseUrl, redisUrls }: Config): Finding[] {
  const isOneOfSeveral = databaseUrl !== undefined && redisUrls.length > 0
  const isAskedDirectly = isLoopback(host) && trustedProxies.length === 0 && !isOneOfSeveral
  if (publicUrls[deployment] || isAskedDirectly) return []
  const { name } = deployment === 'production' ? SETTINGS.productionUrl : SETTINGS.stagingUrl
  return [warning(`${name} is unset: links in answers lead to the address that the service listens on.`)]
}

/** Instances that count together need a store that they can share. */
function missingDatabase({ databaseUrl, redisUrls }: Config): Finding[] {
  if (redisUrls.length === 0 || databaseUrl !== undefined) return []
  return [
    warning(
      `${SETTINGS.redisUrl.name} is set without ${SETTINGS.databaseUrl.name}: the embedded store serves one instance only.`,
    ),
  ]
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

function warning(message: string): Finding {
  return { check: CHECK, outcome: 'warn', message }
}

/** A warning about a variable, such as "unknown setting X; did you mean Y?", as a sentence. */
function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1) + (words.endsWith('?') ? '' : '.')
}
