import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { isInMemory } from '../../src/app/temporary-folder.ts'

const MEMORY = '/dev/shm'
/** Twice what the tests with servers have in their folders at once. */
const MIN_FREE_BYTES = 3_221_225_472

/**
 * Lets the tests of this run put their files in memory if the system offers that: SQLite then waits for no disk. Has no effect if `TMPDIR` is set.
 */
export function useFolderInMemory(): void {
  if (process.env.TMPDIR || !isOffered()) return
  const folder = mkdtempSync(join(MEMORY, 'petstore-run-'))
  // Some tests act as another user, who may add files there as in /tmp.
  chmodSync(folder, 0o1777)
  process.env.TMPDIR = folder
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
}

function isOffered(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    return isInMemory(MEMORY) && bavail * bsize >= MIN_FREE_BYTES
  } catch {
    return false
  }
}
