import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cleanup } from './cleanup.ts'

/** A folder outside this repository, so that nothing is found in it by accident. It is removed after the test. */
export async function temporaryFolder(t: Cleanup): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-test-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}
