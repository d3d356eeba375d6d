import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../../domain/errors.ts'
import { isoTime } from '../../domain/time.ts'
import { findFile } from '../../files/find-file.ts'
import { probeDisk } from '../../files/probe-disk.ts'
import { inspectStore, readState } from '../../sqlite/backup/inspect.ts'
import { newestOf, type ScheduledBackup, scheduledBackupsOf } from '../../sqlite/backup/scheduled-names.ts'
import { databaseFile } from '../../sqlite/data-folder/store-files.ts'
import { ensureWholeLog } from '../../sqlite/data-folder/whole-log.ts'
import { type Config, ensureOutside } from '../config.ts'
import { check } from './check.ts'
import { judgeSpace, spaceOf } from './disk.ts'
import { fail, ok, type Verdict, warn } from './verdict.ts'

export const BACKUP_CHECKS = [
  // Whether the newest scheduled backup is new enough and intact, and its disk has enough space.
  check('backup', 'config', async (config, { now }) => {
    const { backupTo: folder } = config
    if (folder === undefined) return []
    try {
      const { outcome, message } = judgeSpace(spaceOf(folder))
      const newest = await checkNewest(folder, config, now)
      return outcome === 'ok' ? newest : [newest, warn(`On the disk of ${folder}, ${message}.`)]
    } catch (error) {
      if (error instanceof UserError) throw error
      return fail(`The folder ${folder} cannot be read; create it, or mount its disk (PETSTORE_BACKUP_TO).`)
    }
  }),

  check('backup', 'service', ({ backups }, { now }) => backups?.check(now) ?? []),
]

async function checkNewest(folder: string, { backupEverySeconds, dataFolder }: Config, now: number): Promise<Verdict> {
  const entries = readdirSync(folder, { withFileTypes: true })
  const database = databaseFile(dataFolder)
  // Repeated here although the check of the store may have failed: reading it would make SQLite discard how long its log was.
  ensureWholeLog(dataFolder)
  if (!findFile(database)) return ok(`There is no store to back up to ${folder} yet.`)
  await ensureOutside(folder, dataFolder)
  probeDisk(folder)
  const newest = newestOf(scheduledBackupsOf(entries, readState(database).store), now)
  if (!newest) return warn(`${describeNewest(folder, newest)} The running service writes one.`)
  inspectStore(join(folder, newest.name), now)
  return judgeAge(folder, newest, newest.at, backupEverySeconds, now)
}

/** @param newest of the backups that were verified */
export function describeNewest(folder: string, newest: ScheduledBackup | undefined): string {
  if (!newest) return `There is no verified backup of this store in ${folder} yet.`
  return `The newest verified backup (${join(folder, newest.name)}) is from ${isoTime(newest.at)}.`
}

/** @param since the time of the newest backup or, without one, the time since when one is expected */
export function judgeAge(
  folder: string,
  newest: ScheduledBackup | undefined,
  since: number,
  everySeconds: number,
  now: number,
): Verdict {
  const state = describeNewest(folder, newest)
  if (now - since <= 2 * everySeconds * 1_000) return ok(state)
  const late =
    'Twice PETSTORE_BACKUP_EVERY has passed: the log of the service shows why. While no service runs, none is written.'
  return warn(`${state} ${late}`, newest?.at)
}
