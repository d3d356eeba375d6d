import { conflict } from '../../domain/errors.ts'
import { open } from '../connection.ts'
import { createWhole } from '../data-folder/create-whole.ts'
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
  try {
    createWhole(backupBeforeUpgrade(file, version), part => {
      using database = open(file)
      database.prepare('VACUUM INTO ?').run(part)
      ensureSoundStore(part, file)
    })
  } catch (error) {
    if (error instanceof DamagedStore) throw conflict(`${error.message} It is not upgraded; restore a backup.`)
    if (!isFull(error)) throw error
    throw conflict(
      `The disk of ${file} has no room for the backup made before the upgrade; free as much space as the store takes.`,
    )
  }
}
