import { readdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../app/config.ts'
import { UserError } from '../domain/errors.ts'
import { isoTime } from '../domain/time.ts'
import { findFile } from '../files/find-file.ts'
import { inspectStore, readState } from '../sqlite/backup/inspect.ts'
import { newestOf, scheduledBackupsOf } from '../sqlite/backup/scheduled-names.ts'
import { databaseFile } from '../sqlite/data-folder/store-files.ts'
import { ensureWholeLog } from '../sqlite/data-folder/whole-log.ts'
import { judgeRoom } from './disk.ts'
import { type Finding, findingsOf } from './finding.ts'

type Settings = Pick<Config, 'backupTo' | 'backupEverySeconds' | 'dataFolder'>

/** Checks whether the newest scheduled backup is new enough and intact, and whether its disk has enough space. */
export function checkBackups({ backupTo: folder, backupEverySeconds, dataFolder }: Settings, now: number): Finding[] {
  if (folder === undefined) return []
  const { warn, fail } = findingsOf('backup')
  try {
    const { bavail, blocks, bsize } = statfsSync(folder)
    const { outcome, words } = judgeRoom(bavail * bsize, blocks * bsize)
    const room = outcome === 'ok' ? [] : [warn(`On the disk of ${folder}, ${words}.`)]
    return [checkNewest(folder, backupEverySeconds, dataFolder, now), ...room]
  } catch (error) {
    if (error instanceof UserError) return [fail(error.message)]
    return [fail(`The folder ${folder} cannot be read; create it, or mount its disk (PETSTORE_BACKUP_TO).`)]
  }
}

function checkNewest(folder: string, everySeconds: number, dataFolder: string, now: number): Finding {
  const { ok, warn } = findingsOf('backup')
  const entries = readdirSync(folder, { withFileTypes: true })
  const database = databaseFile(dataFolder)
  // Repeated here although the check of the store may have failed: reading it would make SQLite discard how long its log was.
  ensureWholeLog(dataFolder)
  if (!findFile(database)) return ok(`There is no store to back up to ${folder} yet.`)
  const newest = newestOf(scheduledBackupsOf(entries, readState(database).store), now)
  if (!newest) return warn(`There is no backup of this store in ${folder} yet; the running service writes one.`)
  const file = join(folder, newest.name)
  inspectStore(file, now)
  const state = `The newest backup (${file}) is intact, and was begun at ${isoTime(newest.at)}`
  if (now - newest.at <= 2 * everySeconds * 1_000) return ok(`${state}.`)
  return warn(
    `${state}, which is longer ago than twice PETSTORE_BACKUP_EVERY. The log of the service shows the reason; while no service runs, none is written.`,
  )
}
