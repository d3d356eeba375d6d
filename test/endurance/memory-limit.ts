import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cleanup } from '../support/cleanup.ts'
import { NotPossible } from '../support/servers/needs.ts'

/** Where control groups of version 1 and 2 are, and the file that has their limit. */
const VERSIONS = [
  { folder: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes' },
  { folder: '/sys/fs/cgroup', limit: 'memory.max' },
]

/**
 * Makes a group of processes that get no more memory than this: if they take more, the system kills one of them. Returns the command that
 * starts another one in the group.
 * @throws NotPossible where control groups may not be made
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
  throw new NotPossible('control groups for memory cannot be made')
}
