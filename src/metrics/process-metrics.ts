import type { Registry } from '@prometheus-io/client'
import addHeap from '@prometheus-io/client/lib/metrics/heapSizeAndUsed.js'
import addMemory from '@prometheus-io/client/lib/metrics/osMemoryHeap.js'
import addMaxFiles from '@prometheus-io/client/lib/metrics/processMaxFileDescriptors.js'
import addOpenFiles from '@prometheus-io/client/lib/metrics/processOpenFileDescriptors.js'
import addStart from '@prometheus-io/client/lib/metrics/processStartTime.js'
import { Counter, Histogram } from './prometheus.ts'

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

const INTERVAL_MS = 20

/**
 * Measures the delay of the event loop, which delays every call. Unlike the quantiles of `monitorEventLoopDelay`, a histogram can be
 * aggregated over time and instances, and read by several scrapers.
 * @returns a function that stops measuring
 */
export function measureEventLoopDelay(registry: Registry): () => void {
  const delay = new Histogram({
    name: 'petstore_event_loop_delay_seconds',
    help: `Delay of a timer that is due every ${INTERVAL_MS} ms: how long every call waits for the event loop.`,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  let dueAt = performance.now() + INTERVAL_MS
  const timer = setInterval(() => {
    const now = performance.now()
    delay.observe(Math.max(0, now - dueAt) / 1_000)
    dueAt = now + INTERVAL_MS
  }, INTERVAL_MS).unref()
  return () => clearInterval(timer)
}
