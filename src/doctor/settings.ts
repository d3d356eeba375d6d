import { type Config, parseConfig } from '../app/config.ts'
import { publicBaseUrl, publicUrlSetting } from '../app/public-address.ts'
import { ConfigError } from '../app/setting-values.ts'
import { type Environment, SETTINGS } from '../app/settings.ts'
import { findUnknownSettings } from '../app/unknown-settings.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warn, fail } = findingsOf('settings')

interface ReadSettings {
  config: Config | undefined
  problems: readonly string[]
  /** Where the store is and where calls are counted, even if other settings are invalid. */
  places: Pick<Config, 'dataFolder' | 'databaseUrl' | 'redisUrls'> | undefined
}

const PLACES = [SETTINGS.dataFolder.name, SETTINGS.databaseUrl.name, SETTINGS.redisUrls.name]

export function readSettings(env: Environment): ReadSettings {
  const { config, problems } = read(env)
  const places = config ?? read(Object.fromEntries(PLACES.map(name => [name, env[name]]))).config
  return { config, problems, places }
}

function read(env: Environment): Omit<ReadSettings, 'places'> {
  try {
    return { config: parseConfig(env), problems: [] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { config: undefined, problems: error.message.split('\n') }
  }
}

/** Checks whether every setting is valid, and every variable that looks like a setting is known. */
export function checkSettings(env: Environment, { config, problems }: ReadSettings): Finding[] {
  const failures = problems.map(fail)
  const unknown = findUnknownSettings(env).map(message => warn(toSentence(message)))
  const hints = config ? [...checkAddress(config), ...missingDatabase(config)] : []
  const findings = [...failures, ...unknown, ...hints]
  return findings.length > 0 ? findings : [ok('All settings are valid.')]
}

/** Without a public address, links work only for callers on this machine, who reach the one instance directly. */
function checkAddress(config: Config): Finding[] {
  const { deployment, publicUrls, trustedProxies, databaseUrl, redisUrls } = config
  if (publicUrls[deployment]) return []
  try {
    const url = publicBaseUrl(config)
    const isOneOfSeveral = databaseUrl !== undefined && redisUrls.length > 0
    if (trustedProxies.length === 0 && !isOneOfSeveral) return []
    const { name } = publicUrlSetting(deployment)
    return [warn(`${name} is unset: links in responses use ${url}, which works only on this machine.`)]
  } catch (error) {
    if (error instanceof ConfigError) return [fail(error.message)]
    throw error
  }
}

/** Instances that count calls together also need a shared store. */
function missingDatabase({ databaseUrl, redisUrls }: Config): Finding[] {
  if (redisUrls.length === 0 || databaseUrl !== undefined) return []
  const [redis, database] = [SETTINGS.redisUrls.name, SETTINGS.databaseUrl.name]
  return [warn(`${redis} is set without ${database}: the embedded store serves one instance only.`)]
}

/** Turns a log message, such as "unknown setting X; did you mean Y?", into a sentence. */
function toSentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1) + (words.endsWith('?') ? '' : '.')
}
