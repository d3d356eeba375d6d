import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** The measured server and the load generator each have their own core. */
export const SERVER_CORE = 0
export const LOAD_CORE = 1

export const isPinned = isInstalled('taskset') && availableParallelism() > 1

/** The command, pinned to one core if the system supports it. */
export function onCore(core: number, command: readonly string[]): string[] {
  return isPinned ? ['taskset', '--cpu-list', String(core), ...command] : [...command]
}

export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined
}
