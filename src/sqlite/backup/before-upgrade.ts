import { renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { UserError } from '../../domain/errors.ts'
import { partialFile } from '../../files/partial-file.ts'
import { syncFile, syncFolder } from '../../files/sync-to-disk.ts'
import { open } from '../connection.ts'
import { createFile } from '../data-folder/create.ts'
import { DamagedStore, isFull } from '../sqlite-errors.ts'
import { ensureSoundStore } from './inspect.ts'

/** The path of the backup that is made before a store of this version is upgraded. */
export function backupBeforeUpgrade(file: string, version: number): string {
  return `${file}.before-upgrade-${version}`
}

/**
 * Backs up a store before its upgrade, to a file next to it, and checks the file like any backup. The older version of the program can be
 * used again with that file.
 * @throws UserError when the disk has no room for it, or it could not be restored
 */
export function backUpBeforeUpgrade(file: string, version: number): void {
  const backup = backupBeforeUpgrade(file, version)
  const partial = partialFile(backup)
  try {
    createFile(partial)
    using database = open(file)
    database.prepare('VACUUM INTO ?').run(partial)
    syncFile(partial)
    ensureSoundStore(partial, file)
    renameSync(partial, backup)
    syncFolder(dirname(backup))
  } catch (error) {
    if (error instanceof DamagedStore)
      throw new UserError('conflict', `${error.message} It is not upgraded; restore a backup.`)
    if (!isFull(error)) throw error
    throw new UserError(
      'conflict',
      `The disk of ${file} has no room for the backup made before the upgrade; free as much space as the store takes.`,
    )
  } finally {
    for (const suffix of ['', '-journal']) rmSync(partial + suffix, { force: true })
  }
}
