import { load, type Order } from './load.ts'
import type { Program } from './program.ts'

const SECONDS = 2
const CONNECTIONS = 64

/** The CPU time of a call in microseconds, of all threads of the service, after a warm-up. */
export async function costOf(service: Program, order: Pick<Order, 'key' | 'paths' | 'body'>): Promise<number> {
  const whole = { url: service.url, connections: CONNECTIONS, seconds: SECONDS, ...order }
  await load({ ...whole, seconds: 1 })
  const before = service.cpuSeconds()
  const { calls } = await load(whole)
  return ((service.cpuSeconds() - before) * 1e6) / calls
}
