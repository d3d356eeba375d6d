import { existsSync, readFileSync } from 'node:fs'

/** As Linux counts in /proc. */
const TICKS_PER_SECOND = 100

/** Seconds of processor time that a process has used, all its threads together; NaN where there is no /proc. */
export function cpuSeconds(pid: number): number {
  return ticks(pid, [14, 15])
}

/** The same for a process and all its children, those that have ended included. */
export function familyCpuSeconds(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number)
  return ticks(pid, [14, 15, 16, 17]) + children.reduce((sum, child) => sum + (cpuSeconds(child) || 0), 0)
}

/** The same for the children of this process that have ended. */
export function endedChildrenCpuSeconds(): number {
  return ticks(process.pid, [16, 17])
}

/** @param fields as proc(5) numbers them */
function ticks(pid: number, fields: readonly number[]): number {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return Number.NaN
  const stat = readFileSync(file, 'utf8')
  const fromThird = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.reduce((sum, field) => sum + Number(fromThird[field - 3]), 0) / TICKS_PER_SECOND
}
