import { realpath } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { BanPolicy } from '../domain/ban.ts'
import type { Deployment } from '../domain/deployment.ts'
import { conflict } from '../domain/errors.ts'
import { isWildcard } from '../domain/listening-host.ts'
import type { KeyPairFiles } from '../tls/key-pair.ts'
import { ConfigError } from './setting-values.ts'
import { type Environment, SETTINGS, type Setting, type SettingValues } from './settings.ts'
import { loadSettingsFile } from './settings-file.ts'

/** Settings that are not values of the configuration, or are parts of one. */
type Grouped = 'envFile' | 'productionUrl' | 'stagingUrl' | 'banAfter' | 'banWithin' | 'banFor' | 'banMax' | TlsKey
type TlsKey = 'tlsCert' | 'tlsKey' | 'operatorTlsCert' | 'operatorTlsKey'

/** How this process runs: the values of all settings. */
export interface Config extends Omit<SettingValues, Grouped> {
  /** Base addresses with /v1 and without a trailing slash. If one is missing, the listener's address is used. */
  publicUrls: Partial<Record<Deployment, string>>
  ban: BanPolicy
  tls: Partial<Record<ListenerName, KeyPairFiles>>
}

export type ListenerName = 'public' | 'operators'

/**
 * Reads the settings of this process, from its environment and its file.
 * @throws ConfigError that reports every problem, one per line
 */
export function loadConfig(): Config {
  loadSettingsFile()
  return parseConfig(process.env)
}

/**
 * Reads the settings. An empty variable counts as unset.
 * @throws ConfigError that reports every problem, one per line
 */
export function parseConfig(env: Environment): Config {
  const problems: string[] = []
  const read = ({ name, default: fallback = '', parse }: Setting) => {
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

  const { envFile: _, productionUrl, stagingUrl, banAfter, banWithin, banFor, banMax, ...rest } = values
  const { tlsCert, tlsKey, operatorTlsCert, operatorTlsKey, ...others } = rest
  const publicFiles = keyPairFiles([SETTINGS.tlsCert, tlsCert], [SETTINGS.tlsKey, tlsKey])
  const operatorFiles = keyPairFiles(
    [SETTINGS.operatorTlsCert, operatorTlsCert],
    [SETTINGS.operatorTlsKey, operatorTlsKey],
  )
  return {
    ...others,
    tls: { ...(publicFiles && { public: publicFiles }), ...(operatorFiles && { operators: operatorFiles }) },
    publicUrls: { ...(productionUrl && { production: productionUrl }), ...(stagingUrl && { staging: stagingUrl }) },
    ban: { after: banAfter, withinSeconds: banWithin, forSeconds: banFor, maxSeconds: banMax },
  }
}

type FileSetting = readonly [setting: Setting, path: string | undefined]

function keyPairFiles([cert, certPath]: FileSetting, [key, keyPath]: FileSetting): KeyPairFiles | undefined {
  if (certPath === undefined || keyPath === undefined) return undefined
  return { cert: { setting: cert.name, path: certPath }, key: { setting: key.name, path: keyPath } }
}

/** Settings that are valid on their own but not together. An invalid setting is undefined and conflicts with nothing. */
function findConflicts(values: Partial<SettingValues>): string[] {
  const { banFor = 0, banMax = banFor, host, port, operatorHost, operatorPort, proxyProtocol, trustedProxies } = values
  const conflicts = [...findTlsConflicts(values), ...findBackupConflicts(values)]
  if (banMax < banFor) {
    conflicts.push(`${SETTINGS.banMax.name} (${banMax}) must be at least ${SETTINGS.banFor.name} (${banFor}).`)
  }
  const isAnyAddress = isWildcard(host ?? '') || isWildcard(operatorHost ?? '')
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

function findBackupConflicts({ backupTo, dataFolder = '', databaseUrl }: Partial<SettingValues>): string[] {
  if (backupTo === undefined) return []
  const { name } = SETTINGS.backupTo
  if (databaseUrl !== undefined) {
    return [
      `${name} is for the embedded store only; unset it, and back up PostgreSQL with its own tools (docs/operations/postgresql-backups.md).`,
    ]
  }
  if (isOutside(dataFolder, backupTo)) return []
  return [`${name} (${backupTo}) must be outside ${SETTINGS.dataFolder.name} (${dataFolder}).`]
}

/**
 * Follows symbolic links, and does not block: a folder on a network may not respond.
 * @throws UserError when the folder for backups is the data folder or in it
 */
export async function ensureOutside(backupTo: string, dataFolder: string): Promise<void> {
  if (isOutside(await realpath(dataFolder), await realpath(backupTo))) return
  throw conflict(`The folder for backups (${backupTo}) must be outside ${dataFolder}.`)
}

/** Whether a path is neither the folder nor in it. Does not follow symbolic links. */
function isOutside(folder: string, path: string): boolean {
  const way = relative(resolve(folder), resolve(path))
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)
}

function findTlsConflicts(values: Partial<SettingValues>): string[] {
  const { deployment, tlsCert, port, operatorPort, redirectPort, hstsSeconds = 0 } = values
  const { operatorTlsCert } = values
  const conflicts: string[] = []
  for (const pair of [['tlsCert', 'tlsKey'] as const, ['operatorTlsCert', 'operatorTlsKey'] as const]) {
    const [set, missing] = values[pair[0]] === undefined ? pair.toReversed() : pair
    if (set && missing && values[set] !== undefined && values[missing] === undefined) {
      conflicts.push(`${SETTINGS[set].name} requires ${SETTINGS[missing].name}.`)
    }
  }
  if (hstsSeconds > 0 && tlsCert === undefined && operatorTlsCert === undefined) {
    conflicts.push(`${SETTINGS.hstsSeconds.name} (${hstsSeconds}) requires ${SETTINGS.tlsCert.name}.`)
  }
  const { name } = SETTINGS.redirectPort
  if (redirectPort === undefined) {
    if (values.acmeFolder !== undefined) conflicts.push(`${SETTINGS.acmeFolder.name} requires ${name}.`)
    return conflicts
  }
  const url = deployment === 'staging' ? 'stagingUrl' : 'productionUrl'
  if (tlsCert === undefined) conflicts.push(`${name} (${redirectPort}) requires ${SETTINGS.tlsCert.name}.`)
  else if (!values[url]?.startsWith('https://')) {
    conflicts.push(`${name} (${redirectPort}) requires an https address in ${SETTINGS[url].name}, to redirect to.`)
  }
  if (redirectPort !== 0 && [port, operatorPort].includes(redirectPort)) {
    conflicts.push(
      `${name} (${redirectPort}) must differ from ${SETTINGS.port.name} and ${SETTINGS.operatorPort.name}.`,
    )
  }
  return conflicts
}
