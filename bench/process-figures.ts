import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** The unit of /proc on Linux. */
const TICKS_PER_SECOND = 100

/** CPU time of a process with all its threads, in seconds; NaN without /proc. */
export function cpuSeconds(pid: number): number {
  return ticks(pid, [14, 15])
}

/** The same for the children of this process that have ended. */
export function endedChildrenCpuSeconds(): number {
  return ticks(process.pid, [16, 17])
}

/** @param fields numbered as in proc(5) */
function ticks(pid: number, fields: readonly number[]): number {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return Number.NaN
  const stat = readFileSync(file, 'utf8')
  const fromThird = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.reduce((sum, field) => sum + Number(fromThird[field - 3]), 0) / TICKS_PER_SECOND
}

/** The current memory of a process, in MB; NaN without /proc. */
export function memoryOf(pid: number): number {
  const file = `/proc/${pid}/status`
  if (!existsSync(file)) return Number.NaN
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(file, 'utf8'))?.[1]) / 1_000
}

/** The number of open files and sockets of a process; NaN without /proc. */
export function descriptorsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`
  return existsSync(folder) ? readdirSync(folder).length : Number.NaN
}
