import { Histogram, type Registry } from 'prom-client'

const EVERY_MS = 20

/**
 * How late the event loop is: by that much longer does every call wait. A histogram, unlike the quantiles that `monitorEventLoopDelay`
 * gives and that begin anew with each scrape, can be added up over time and instances, and be scraped by two at once.
 * Returns what ends the measuring.
 */
export function measureEventLoopDelay(registry: Registry): () => void {
  const delay = new Histogram({
    name: 'petstore_event_loop_delay_seconds',
    help: `How late a timer was that is due every ${EVERY_MS} ms: what every call waits for the event loop.`,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  let dueAt = performance.now() + EVERY_MS
  const timer = setInterval(() => {
    const now = performance.now()
    delay.observe(Math.max(0, now - dueAt) / 1_000)
    dueAt = now + EVERY_MS
  }, EVERY_MS).unref()
  return () => clearInterval(timer)
}
