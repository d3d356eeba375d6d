import { statfsSync, statSync } from 'node:fs'
import type { Config } from '../app/config.ts'
import { UserError } from '../domain/errors.ts'
import { isoTime } from '../domain/time.ts'
import { findFile } from '../files/find-file.ts'
import { readState } from '../sqlite/backup/inspect.ts'
import { ensureOwnChains, listChains, longestDelay, planRestore } from '../sqlite/copy/copy-folder.ts'
import { databaseFile, logFile } from '../sqlite/data-folder/store-files.ts'
import { ensureWholeLog } from '../sqlite/data-folder/whole-log.ts'
import { judgeRoom } from './disk.ts'
import { type Finding, findingsOf } from './finding.ts'

type Settings = Pick<Config, 'copyTo' | 'copyEverySeconds' | 'dataFolder' | 'deployment'>

/** Checks how far the continuous copy is behind the store, and whether its disk has enough space. */
export function checkCopy(settings: Settings): Finding[] {
  const { copyTo: folder } = settings
  if (folder === undefined) return []
  const { warn, fail } = findingsOf('copy')
  let room: Finding[] = []
  try {
    const { bavail, blocks, bsize } = statfsSync(folder)
    const { outcome, words } = judgeRoom(bavail * bsize, blocks * bsize)
    room = outcome === 'ok' ? [] : [warn(`On the disk of ${folder}, ${words}.`)]
    return [checkReach(folder, settings), ...room]
  } catch (error) {
    if (error instanceof UserError) return [fail(error.message), ...room]
    return [fail(`The folder ${folder} cannot be read; create it, or mount its disk (PETSTORE_COPY_TO).`)]
  }
}

function checkReach(folder: string, { dataFolder, deployment, copyEverySeconds }: Settings): Finding {
  const { ok, warn } = findingsOf('copy')
  const file = databaseFile(dataFolder)
  // Repeated here although the check of the store may have failed: reading it would make SQLite discard how long its log was.
  ensureWholeLog(dataFolder)
  const own = findFile(file) && readState(file).store
  if (own === undefined) {
    // Throws if the folder cannot be read.
    listChains(folder)
    return ok(`There is no store to copy to ${folder} yet.`)
  }
  const chains = ensureOwnChains(folder, { store: own, deployment })
  const first = chains.flatMap(({ files }) => files).find(({ kind }) => kind === 'full')
  if (!first) return warn(`There is no complete copy in ${folder} yet; the running service makes one.`)
  const { at } = planRestore(folder)
  const behindSeconds = Math.round((lastWrittenAt(file) - at) / 1_000)
  const reach = `The copy in ${folder} can restore any time from ${isoTime(first.at)} to ${isoTime(at)}`
  if (behindSeconds <= longestDelay(copyEverySeconds)) return ok(`${reach}.`)
  return warn(
    `${reach}, and is ${behindSeconds} seconds behind the store. The log of the service shows the reason; while no service runs, nothing is copied.`,
  )
}

/** Unix milliseconds. */
function lastWrittenAt(file: string): number {
  const times = [file, logFile(file)].map(path => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return Math.max(...times)
}
