import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** The core that the measured server has for itself, and the one of the load generator. */
export const SERVER_CORE = 0
export const LOAD_CORE = 1

export const isPinned = isInstalled('taskset') && availableParallelism() > 1

/** A command, kept on one core where the system can do that. */
export function onCore(core: number, command: readonly string[]): string[] {
  return isPinned ? ['taskset', '--cpu-list', String(core), ...command] : [...command]
}

export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined
}
