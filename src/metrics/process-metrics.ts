import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Registry } from '@prometheus-io/client'
import { Counter, Gauge } from './prometheus.ts'

const OPEN_FILES = '/proc/self/fd'
const FILE_LIMITS = '/proc/self/limits'

/**
 * Adds the standard Prometheus metrics of a process, under the usual names. Its own `collectDefaultMetrics` starts an
 * event-loop monitor and a garbage-collection observer that cannot be stopped.
 */
export function addProcessMetrics(registry: Registry): void {
  const registers = [registry]

  function cpuSeconds(name: string, help: string, microseconds: (usage: NodeJS.CpuUsage) => number): void {
    new Counter({
      name,
      help: `${help} CPU time in seconds, all threads.`,
      registers,
      collect() {
        this.reset()
        this.inc(microseconds(process.cpuUsage()) / 1e6)
      },
    })
  }

  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  }

  cpuSeconds('process_cpu_user_seconds_total', 'User', ({ user }) => user)
  cpuSeconds('process_cpu_system_seconds_total', 'System', ({ system }) => system)
  cpuSeconds('process_cpu_seconds_total', 'User and system', ({ user, system }) => user + system)
  gauge('process_start_time_seconds', 'Start of the process, in Unix seconds.', () => performance.timeOrigin / 1_000)
  gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', () => process.memoryUsage.rss())
  gauge('nodejs_heap_size_total_bytes', 'Size of the heap in bytes.', () => process.memoryUsage().heapTotal)
  gauge('nodejs_heap_size_used_bytes', 'Used part of the heap in bytes.', () => process.memoryUsage().heapUsed)
  gauge('nodejs_external_memory_bytes', 'Memory outside the heap in bytes.', () => process.memoryUsage().external)
  if (!existsSync(OPEN_FILES)) return
  gauge('process_open_fds', 'Open files and connections.', () => readdirSync(OPEN_FILES).length)
  gauge('process_max_fds', 'Maximum number of open files and connections.', maxOpenFiles)
}

function maxOpenFiles(): number {
  const limit = /^Max open files +(\d+)/m.exec(readFileSync(FILE_LIMITS, 'utf8'))?.[1]
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit)
}
