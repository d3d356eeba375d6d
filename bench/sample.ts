import { type Load, load, type Order } from './load.ts'
import type { Program } from './program.ts'

/** One load on one server. */
export interface Sample extends Load {
  callsPerSecond: number
  cpuMicrosPerCall: number
  /** The share of its core that the server got. */
  serverBusy: number
}

export async function sample(program: Program, order: Omit<Order, 'url'>): Promise<Sample> {
  const before = program.cpuSeconds()
  const result = await load({ ...order, url: program.url })
  const cpuSeconds = program.cpuSeconds() - before
  return {
    ...result,
    callsPerSecond: result.calls / result.seconds,
    cpuMicrosPerCall: (cpuSeconds / result.calls) * 1e6,
    serverBusy: cpuSeconds / result.seconds,
  }
}
