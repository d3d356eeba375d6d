import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cleanup } from '../support/cleanup.ts'
import { NotPossible } from '../support/servers/needs.ts'

/** The folders of control groups, versions 1 and 2, and the files with their limits. */
const VERSIONS = [
  { folder: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes' },
  { folder: '/sys/fs/cgroup', limit: 'memory.max' },
]

/**
 * Creates a control group with a memory limit: if its processes need more, the system kills one of them. Returns a command prefix that
 * starts a process in the group.
 * @throws NotPossible if control groups cannot be created
 */
export function limitMemory(t: Cleanup, megabytes: number): string[] {
  for (const { folder, limit } of VERSIONS) {
    const group = join(folder, `petstore-endure-${process.pid}`)
    try {
      mkdirSync(group)
    } catch {
      continue
    }
    t.after(() => rmdirSync(group))
    if (!existsSync(join(group, limit))) continue
    writeFileSync(join(group, limit), String(megabytes * 1_048_576))
    return ['sh', '-c', `echo $$ >${join(group, 'cgroup.procs')} && exec "$@"`, 'sh']
  }
  throw new NotPossible('control groups for memory cannot be created')
}
