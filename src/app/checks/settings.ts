import { formatBytes } from '../../domain/bytes.ts'
import { isWildcard } from '../../domain/listening-host.ts'
import { type Config, parseConfig } from '../config.ts'
import { publicBaseUrl, publicUrlSetting } from '../public-address.ts'
import { ConfigError } from '../setting-values.ts'
import { type Environment, SETTINGS } from '../settings.ts'
import { findExposedPassword, settingsFile } from '../settings-file.ts'
import { isInMemory, temporaryFolder } from '../temporary-folder.ts'
import { findUnknownSettings } from '../unknown-settings.ts'
import { check } from './check.ts'
import { spaceOf } from './disk.ts'
import type { Facts } from './facts.ts'
import { fail, ok, type Verdict, warn } from './verdict.ts'

type Settings = Partial<Pick<Facts, 'config' | 'places'>> & Pick<Facts, 'problems'>

const PLACES = [SETTINGS.dataFolder.name, SETTINGS.databaseUrl.name, SETTINGS.redisUrls.name]

export function readSettings(env: Environment): Settings {
  const settings = read(env)
  return settings.config
    ? settings
    : { ...read(Object.fromEntries(PLACES.map(name => [name, env[name]]))), ...settings }
}

function read(env: Environment): Settings {
  try {
    const config = parseConfig(env)
    return { config, places: config, problems: [] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { problems: error.message.split('\n') }
  }
}

export const SETTINGS_CHECKS = [
  // Whether every setting is valid, and every variable that looks like a setting is known.
  check('settings', 'problems', (problems, { env = {}, config }) => {
    const unknown = findUnknownSettings(env).map(message => warn(toSentence(message)))
    const hints = config ? [...checkAddress(config), ...missingDatabase(config)] : []
    const file = settingsFile()
    const exposed = file && findExposedPassword(file, env)
    const verdicts = [...problems.map(fail), ...unknown, ...hints, ...(exposed ? [warn(exposed)] : [])]
    const source = file
      ? `They were read from ${file.path} and the environment.`
      : 'They were read from the environment alone.'
    return verdicts.length > 0 ? verdicts : ok(`All settings are valid. ${source}`)
  }),

  // Whether the folder for the temporary files of imports and exports exists, and is on a disk.
  check('temporary files', 'places', (places, { env }) => {
    const folder = temporaryFolder(places, env)
    const use = `Imports and exports keep temporary files in ${folder}`
    try {
      const { freeBytes } = spaceOf(folder)
      if (!isInMemory(folder)) return ok(`${use}; ${formatBytes(freeBytes)} are free.`)
      return warn(`${use}, which is in memory: a large file can use it up. Set TMPDIR to a folder on a disk.`)
    } catch {
      return warn(`${use}, which cannot be used; set TMPDIR to another one.`)
    }
  }),
]

/** Without a public address, links work only for callers on this machine, who reach the one instance directly. */
function checkAddress(config: Config): Verdict[] {
  const { deployment, publicUrls, trustedProxies, databaseUrl, redisUrls } = config
  if (publicUrls[deployment]) return checkPublicUrls(config)
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

function checkPublicUrls({ deployment, publicUrls }: Config): Verdict[] {
  const { hostname } = new URL(publicUrls[deployment] as string)
  const { name } = publicUrlSetting(deployment)
  const [production, staging] = [SETTINGS.productionUrl.name, SETTINGS.stagingUrl.name]
  return [
    ...(isWildcard(hostname) ? [warn(`${name} has the host ${hostname}, which other machines cannot reach.`)] : []),
    ...(publicUrls.production === publicUrls.staging
      ? [warn(`${production} and ${staging} are the same, but the two deployments share nothing.`)]
      : []),
  ]
}

/** Instances that count calls together also need a shared store. */
function missingDatabase({ databaseUrl, redisUrls }: Config): Verdict[] {
  if (redisUrls.length === 0 || databaseUrl !== undefined) return []
  const [redis, database] = [SETTINGS.redisUrls.name, SETTINGS.databaseUrl.name]
  return [warn(`${redis} is set without ${database}: the embedded store serves one instance only.`)]
}

/** Turns a log message, such as "unknown setting X; did you mean Y?", into a sentence. */
function toSentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1) + (words.endsWith('?') ? '' : '.')
}
