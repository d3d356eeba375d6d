import { isUtf8 } from 'node:buffer'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { reasonOf } from '../domain/system-error.ts'
import { ConfigError } from './setting-values.ts'
import { type Environment, SETTINGS } from './settings.ts'

export interface SettingsFile {
  path: string
  /** The variables that have the value of the file. */
  names: ReadonlySet<string>
}

/** In the current folder. */
const OWN = 'petstore.env'
const SYSTEM_WIDE = '/etc/petstore/petstore.env'
const PASSWORD_IN_URL = /:\/\/[^/@\s]*:[^/@\s]+@|[?&](?:sentinel)?password=./i

let ofThisProcess: SettingsFile | undefined

export function settingsFile(): SettingsFile | undefined {
  return ofThisProcess
}

/**
 * Adds the settings of the file to the environment of this process, once.
 * @throws ConfigError when the file cannot be used
 */
export function loadSettingsFile(): void {
  ofThisProcess ??= addSettings(process.env)
}

/**
 * Adds the variables of a file to an environment: of the one named by `PETSTORE_ENV_FILE`, else of `petstore.env` in the folder, else of
 * `/etc/petstore/petstore.env`. What the environment has already wins, even if it is empty.
 * @throws ConfigError when the file cannot be used
 */
export function addSettings(env: Environment, folder = process.cwd()): SettingsFile | undefined {
  const path = findFile(env, folder)
  if (path === undefined) return undefined
  const used = parseFile(read(path), path).filter(([name, value]) => (env[name] ?? value) === value)
  const late = used.find(([name]) => name.startsWith('NODE_') && env[name] === undefined)
  if (late)
    throw new ConfigError(`${late[0]} must not be in ${path}: Node reads it earlier. Set it in the environment.`)
  Object.assign(env, Object.fromEntries(used))
  return { path, names: new Set(used.map(([name]) => name)) }
}

/** A password in the file that other users of the machine can read, as a sentence. */
export function findExposedPassword({ path, names }: SettingsFile, env: Environment): string | undefined {
  if ((statSync(path).mode & 0o004) === 0) return undefined
  const exposed = [...names].find(name => PASSWORD_IN_URL.test(env[name] ?? ''))
  return exposed && `Every user of this machine can read ${exposed} in ${path}; run "chmod o-r ${path}".`
}

function findFile(env: Environment, folder: string): string | undefined {
  const named = env[SETTINGS.envFile.name]
  if (named !== undefined) return named === '' ? undefined : resolve(folder, named)
  const own = resolve(folder, OWN)
  if (existsSync(own)) {
    refuseOthers(own)
    return own
  }
  return isReadable(SYSTEM_WIDE) ? SYSTEM_WIDE : undefined
}

/** In a folder such as /tmp, anyone may leave a file that leads to a store of theirs. */
function refuseOthers(path: string): void {
  const { uid } = statSync(path)
  if (uid === 0 || uid === (process.geteuid?.() ?? uid)) return
  throw new ConfigError(`${path} belongs to another user. To use it, set ${SETTINGS.envFile.name}=${path}.`)
}

function isReadable(path: string): boolean {
  try {
    read(path)
    return true
  } catch {
    return false
  }
}

function read(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new ConfigError(`The settings in ${path} cannot be read: ${reasonOf(error)}.`)
  }
}

function parseFile(bytes: Buffer, path: string): [name: string, value: string][] {
  // A variable of the environment ends at a NUL.
  const fault = !isUtf8(bytes) ? 'the file must be UTF-8' : bytes.includes(0) && 'the file contains a NUL character'
  if (fault) throw new ConfigError(`The settings in ${path} cannot be read: ${fault}.`)
  return bytes
    .toString()
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((untrimmed, index) => {
      const line = untrimmed.trim()
      if (line === '' || line.startsWith('#')) return []
      const [, name = '', value = ''] = /^([A-Z][A-Z0-9_]*)=(?!["'])(.*)$/.exec(line) ?? []
      if (name === '') throw new ConfigError(`Line ${index + 1} of ${path} must be KEY=value, without quotes.`)
      if (name === SETTINGS.envFile.name) throw new ConfigError(`${name} must not be in ${path}.`)
      return [[name, value]]
    })
}
