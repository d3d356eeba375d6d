import { execFileSync } from 'node:child_process'
import { appendFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Cleanup } from '../cleanup.ts'
import { skip } from './needs.ts'

/** A small file system of its own. */
export interface OwnDisk {
  folder: string
  /** From now on nothing can be written, as when the system has found its disk broken. */
  fail(): void
  /** After that, when no file of it is open: as if the machine was started again with the disk repaired. */
  repair(): void
  /** Takes all the space that is left, or all but some of it. */
  fill(leftBytes?: number): void
  /** Gives it back. */
  free(): void
}

/** Ends with the test, and skips it, loudly, where file systems may not be made and mounted. */
export async function mountOwnDisk(t: TestContext): Promise<OwnDisk | undefined> {
  try {
    return await mountDisk(t)
  } catch {
    skip(t, 'a file system cannot be made and mounted')
    return undefined
  }
}

/** @throws Error where file systems may not be made and mounted */
export async function mountDisk(t: Cleanup, megabytes = 64): Promise<OwnDisk> {
  const parent = await mkdtemp(join(tmpdir(), 'petstore-test-'))
  let isMounted = false
  t.after(async () => {
    if (isMounted) run('umount', '--lazy', folder)
    await rm(parent, { recursive: true, force: true })
  })
  const [image, folder, ballast] = [join(parent, 'image'), join(parent, 'disk'), join(parent, 'disk', 'ballast')]
  await mkdir(folder)
  const mount = () => {
    run('mount', '-o', 'loop', image, folder)
    isMounted = true
  }
  run('truncate', `--size=${megabytes}M`, image)
  run('mkfs.ext4', '-q', image)
  mount()
  return {
    folder,
    fail: () => run('mount', '-o', 'remount,abort', folder),
    repair() {
      run('umount', folder)
      isMounted = false
      mount()
    },
    fill(leftBytes = 0) {
      fill(ballast)
      truncateSync(ballast, statSync(ballast).size - leftBytes)
    },
    free: () => rmSync(ballast),
  }
}

function fill(file: string): void {
  for (const bytes of [1_048_576, 4_096, 1]) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(bytes, 'x'))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: 'pipe' })
}
