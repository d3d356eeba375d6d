import type { Answers } from './answers.ts'
import { isInstalled } from './cores.ts'
import { type Calls, writeOrderFile } from './order-file.ts'
import { endedChildrenCpuSeconds } from './process-figures.ts'
import { runGenerator } from './run-generator.ts'
import { emptyFolder } from './stock.ts'

/** A load in which each connection sends its next call as soon as the last one is answered. */
export interface Order extends Calls {
  url: string
  connections: number
  seconds: number
  /** Whether the generator may use every core. Used when several servers are measured together. */
  mayUseAllCores?: boolean
}

export interface Load extends Answers {
  seconds: number
  /** The share of its core that the load generator used; NaN if unknown. */
  generatorBusy: number
}

/** wrk needs several times less CPU time than a generator in JavaScript. */
export const GENERATOR = isInstalled('wrk') ? 'wrk' : 'generator.ts'

/** @throws Error if any call failed: a result made of failures means nothing */
export async function load(order: Order): Promise<Load> {
  const { url, paths, connections, seconds, mayUseAllCores } = order
  using folder = emptyFolder()
  const orderFile = writeOrderFile(folder.path, order)
  const command =
    GENERATOR === 'wrk'
      ? ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '-s', file('wrk.lua'), url, '--', orderFile]
      : [process.execPath, file('generator.ts'), url, orderFile, String(connections), String(seconds)]
  const before = endedChildrenCpuSeconds()
  const { failures, ...rest } = await runGenerator(command, mayUseAllCores)
  const generatorBusy = (endedChildrenCpuSeconds() - before) / seconds
  if (failures > 0 || rest.calls === 0) throw new Error(`${failures} of ${rest.calls} calls to ${paths[0]} failed.`)
  return { ...rest, generatorBusy }
}

function file(name: string): string {
  return new URL(name, import.meta.url).pathname
}
