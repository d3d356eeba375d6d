import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { skip } from './needs.ts'

/** A small file system of its own. */
export interface OwnDisk {
  folder: string
  /** From now on nothing can be written, as when the system has found its disk broken. */
  fail(): void
}

/** Ends with the test, and skips it, loudly, where file systems may not be made and mounted. */
export async function mountOwnDisk(t: TestContext): Promise<OwnDisk | undefined> {
  const parent = await mkdtemp(join(tmpdir(), 'petstore-test-'))
  let isMounted = false
  t.after(async () => {
    if (isMounted) run('umount', '--lazy', folder)
    await rm(parent, { recursive: true, force: true })
  })
  const [image, folder] = [join(parent, 'image'), join(parent, 'disk')]
  await mkdir(folder)
  const run = (program: string, ...args: string[]) => execFileSync(program, args, { stdio: 'pipe' })
  try {
    run('truncate', '--size=64M', image)
    run('mkfs.ext4', '-q', image)
    run('mount', '-o', 'loop', image, folder)
    isMounted = true
  } catch {
    skip(t, 'a file system cannot be made and mounted')
    return undefined
  }
  return { folder, fail: () => void run('mount', '-o', 'remount,abort', folder) }
}
