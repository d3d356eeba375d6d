import { statfsSync } from 'node:fs'
import type { Config } from '../app/config.ts'
import type { Environment } from '../app/settings.ts'
import { isInMemory, temporaryFolder } from '../app/temporary-folder.ts'
import { formatBytes } from '../domain/bytes.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warn } = findingsOf('temporary files')

/** Checks whether the folder for the temporary files of imports and exports exists, and is on a disk. */
export function checkTemporaryFolder(places: Pick<Config, 'dataFolder' | 'databaseUrl'>, env: Environment): Finding {
  const folder = temporaryFolder(places, env)
  try {
    const { bavail, bsize } = statfsSync(folder)
    if (isInMemory(folder)) {
      return warn(
        `Imports and exports keep temporary files in ${folder}, which is in memory: a large file can use it up. Set TMPDIR to a folder on a disk.`,
      )
    }
    return ok(`Imports and exports keep temporary files in ${folder}; ${formatBytes(bavail * bsize)} are free.`)
  } catch {
    return warn(
      `The folder ${folder} for temporary files of imports and exports cannot be used; set TMPDIR to another one.`,
    )
  }
}
