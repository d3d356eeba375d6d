import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { Counter, Gauge, type Registry } from 'prom-client'

const OPEN_FILES = '/proc/self/fd'
const FILE_LIMITS = '/proc/self/limits'

/**
 * What Prometheus expects of every process, under the names that prom-client gives it. prom-client's own `collectDefaultMetrics`
 * starts an event-loop monitor and an observer of garbage collections that nothing can stop.
 */
export function addProcessMetrics(registry: Registry): void {
  const registers = [registry]

  function total(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read())
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

  total('process_cpu_user_seconds_total', 'User CPU time in seconds, all threads.', () => cpuSeconds().user)
  total('process_cpu_system_seconds_total', 'System CPU time in seconds, all threads.', () => cpuSeconds().system)
  total('process_cpu_seconds_total', 'User and system CPU time in seconds, all threads.', () => {
    const { user, system } = cpuSeconds()
    return user + system
  })
  gauge(
    'process_start_time_seconds',
    'When the process started, in Unix seconds.',
    () => performance.timeOrigin / 1_000,
  )
  gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', () => process.memoryUsage.rss())
  gauge('nodejs_heap_size_total_bytes', 'Size of the heap in bytes.', () => process.memoryUsage().heapTotal)
  gauge('nodejs_heap_size_used_bytes', 'Used part of the heap in bytes.', () => process.memoryUsage().heapUsed)
  gauge('nodejs_external_memory_bytes', 'Memory outside the heap in bytes.', () => process.memoryUsage().external)
  if (existsSync(OPEN_FILES)) {
    gauge('process_open_fds', 'Open files and connections.', () => readdirSync(OPEN_FILES).length)
    gauge('process_max_fds', 'How many files and connections may be open.', mostOpenFiles)
  }
}

function cpuSeconds(): { user: number; system: number } {
  const { user, system } = process.cpuUsage()
  return { user: user / 1e6, system: system / 1e6 }
}

function mostOpenFiles(): number {
  const limit = /^Max open files +(\d+)/m.exec(readFileSync(FILE_LIMITS, 'utf8'))?.[1]
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit)
}
