import { existsSync, readFileSync } from 'node:fs'

/** As Linux counts in /proc. */
const TICKS_PER_SECOND = 100

/** Seconds of processor time that a process has used, all its threads together; NaN where there is no /proc. */
export function cpuSeconds(pid: number): number {
  return ticks(pid, [14, 15])
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
