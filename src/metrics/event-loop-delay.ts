import type { Registry } from '@prometheus-io/client'
import { Histogram } from './prometheus.ts'

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
