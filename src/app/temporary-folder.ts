import { accessSync, constants, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Config } from './config.ts'

type Places = Pick<Config, 'dataFolder' | 'databaseUrl'>

/**
 * The folder for the temporary files of imports and exports, which may be larger than the store: TMPDIR if it is set, otherwise the first
 * usable one of /var/tmp, the folder of an embedded store and /tmp that is not in memory.
 */
export function temporaryFolder(
  { dataFolder, databaseUrl }: Places,
  env = process.env,
  [first, last] = ['/var/tmp', '/tmp'],
): string {
  if (env.TMPDIR) return env.TMPDIR
  if (process.platform === 'win32') return tmpdir()
  const usable = [first, ...(databaseUrl === undefined ? [dataFolder] : []), last].filter(isUsable)
  return usable.find(folder => !isInMemory(folder)) ?? usable[0] ?? last
}

/** Makes SQLite put its temporary files there, too. Must be called before the process opens a database: SQLite reads the variable only then. */
export function spoolOnDisk(places: Places): void {
  process.env.SQLITE_TMPDIR ||= temporaryFolder(places)
}

/** The types of file systems in memory, tmpfs and ramfs, as statfs(2) of Linux returns them. */
const IN_MEMORY: readonly number[] = [0x01021994, 0x858458f6]

export function isInMemory(folder: string): boolean {
  return process.platform === 'linux' && IN_MEMORY.includes(statfsSync(folder).type)
}

function isUsable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return statSync(folder).isDirectory()
  } catch {
    return false
  }
}
