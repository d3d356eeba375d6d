import { renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { partialFile } from '../../files/partial-file.ts'
import { syncFile, syncFolder } from '../../files/sync-to-disk.ts'
import { createFile } from './create.ts'

type NameIt = (part: string, file: string) => void

/**
 * Writes a file so that it either appears complete and on disk, or not at all. `files/write-atomically.ts` does so without blocking.
 * @param write fills the empty file with the given name
 * @param nameIt gives the file its name; by default, in place of another one
 */
export function createWhole(file: string, write: (part: string) => void, nameIt: NameIt = renameSync): void {
  const part = partialFile(file)
  try {
    createFile(part)
    write(part)
    syncFile(part)
    nameIt(part, file)
    syncFolder(dirname(file))
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(part + suffix, { force: true })
  }
}
