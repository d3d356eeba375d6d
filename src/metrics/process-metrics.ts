import type { Registry } from '@prometheus-io/client'
import addHeap from '@prometheus-io/client/lib/metrics/heapSizeAndUsed.js'
import addMemory from '@prometheus-io/client/lib/metrics/osMemoryHeap.js'
import addMaxFiles from '@prometheus-io/client/lib/metrics/processMaxFileDescriptors.js'
import addOpenFiles from '@prometheus-io/client/lib/metrics/processOpenFileDescriptors.js'
import addStart from '@prometheus-io/client/lib/metrics/processStartTime.js'
import { Counter } from './prometheus.ts'

/**
 * Adds the standard Prometheus metrics of a process. Its own `collectDefaultMetrics` also starts an event-loop monitor and a garbage-collection
 * observer that cannot be stopped, and its counters of CPU time load OpenTelemetry.
 */
export function addProcessMetrics(registry: Registry): void {
  for (const add of [addStart, addMemory, addHeap, addOpenFiles, addMaxFiles]) add(registry)
  const cpuSeconds = (name: string, help: string, microseconds: (usage: NodeJS.CpuUsage) => number) =>
    new Counter({
      name,
      help: `${help} CPU time in seconds, all threads.`,
      registers: [registry],
      collect() {
        this.reset()
        this.inc(microseconds(process.cpuUsage()) / 1e6)
      },
    })
  cpuSeconds('process_cpu_user_seconds_total', 'User', ({ user }) => user)
  cpuSeconds('process_cpu_system_seconds_total', 'System', ({ system }) => system)
  cpuSeconds('process_cpu_seconds_total', 'User and system', ({ user, system }) => user + system)
}
