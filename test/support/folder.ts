import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cleanup } from './cleanup.ts'

/** A folder on a disk, even if the files of tests are in memory. */
export async function folderOnDisk(t: Cleanup): Promise<string> {
  return temporaryFolder(t, process.platform === 'linux' ? '/var/tmp' : tmpdir())
}

/** A folder outside this repository, so that nothing is found in it by accident. It is removed after the test. */
export async function temporaryFolder(t: Cleanup, parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, 'petstore-test-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}
