import { execFileSync } from 'node:child_process'
import { appendFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Cleanup } from '../cleanup.ts'
import { skip } from './needs.ts'

/** A small private file system. */
export interface OwnDisk {
  folder: string
  /** Makes it read-only, as when the system has found its disk broken. */
  fail(): void
  /** Makes it read-only while none of its files is open: as if it had been mounted so. */
  protect(): void
  /** Makes it writable again once none of its files is open: as if the machine had been restarted with the disk repaired. */
  repair(): void
  /** Uses up all the space, or all but some of it. */
  fill(leftBytes?: number): void
  /** Frees that space. */
  free(): void
}

/** Creates a disk that ends with the test. Skips the test, with a warning, if file systems cannot be created and mounted. */
export async function mountOwnDisk(t: TestContext): Promise<OwnDisk | undefined> {
  try {
    return await mountDisk(t)
  } catch {
    skip(t, 'a file system cannot be made and mounted')
    return undefined
  }
}

/** @throws Error if file systems cannot be created and mounted */
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
    protect: () => run('mount', '-o', 'remount,ro', folder),
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
