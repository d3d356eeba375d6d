import { type Environment, SETTINGS } from '../config.ts'
import { Mistake } from '../domain/errors.ts'
import { databaseFile } from '../sqlite/connection.ts'
import { findFile } from '../sqlite/find-file.ts'
import { type Holdings, inspectStore } from '../sqlite/inspect.ts'
import { checkClock } from './clock.ts'
import { checkDisk } from './disk.ts'
import type { Finding } from './finding.ts'
import { checkFolder } from './folder.ts'
import { checkService } from './service.ts'
import { checkSettings, readSettings } from './settings.ts'
import { checkStore } from './store.ts'
import { checkTokens } from './tokens.ts'
import { checkVersions } from './versions.ts'
import { checkWriting } from './writing.ts'

/** Examines all that a service with these settings would work with. Writes nothing, and may run beside one. */
export function examine(env: Environment, now: number): Finding[] {
  const settings = readSettings(env)
  const { config } = settings
  const folder = config?.dataFolder ?? (env[SETTINGS.dataFolder.name]?.trim() || SETTINGS.dataFolder.default)
  const holdings = inspect(databaseFile(folder), now)
  const sound = holdings instanceof Mistake ? undefined : holdings
  return [
    ...checkSettings(env, settings),
    ...checkFolder(folder),
    checkStore(folder, holdings, config?.deployment),
    ...(sound ? [checkWriting(folder)] : []),
    checkVersions(sound),
    checkDisk(folder),
    checkClock(now, sound?.newestTime),
    checkService(folder),
    ...(sound ? [checkTokens(sound)] : []),
  ]
}

/** What the store holds, or why that cannot be told; nothing where there is no store yet. */
function inspect(file: string, now: number): Holdings | Mistake | undefined {
  try {
    return findFile(file) && inspectStore(file, now)
  } catch (error) {
    if (error instanceof Mistake) return error
    throw error
  }
}
