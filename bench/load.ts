import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isInstalled, LOAD_CORE, onCore } from './cores.ts'
import { endedChildrenCpuSeconds } from './process-figures.ts'
import { emptyFolder } from './stock.ts'

/** Each connection sends its next call as soon as the last one is answered. */
export interface Order {
  url: string
  key: string
  /** Each call uses one of them at random. */
  paths: readonly string[]
  /** If given, the calls are POSTs. */
  body?: string | undefined
  connections: number
  seconds: number
}

export interface Load {
  calls: number
  seconds: number
  p50Ms: number
  p99Ms: number
  /** The share of its core that the load generator used; NaN if unknown. */
  generatorBusy: number
}

/** wrk needs several times less processor time than a generator in JavaScript. */
export const GENERATOR = isInstalled('wrk') ? 'wrk' : 'generator.ts'

const run = promisify(execFile)

/** @throws Error if any call failed: a figure made from failures means nothing */
export async function load(order: Order): Promise<Load> {
  const { url, key, paths, body = '', connections, seconds } = order
  using folder = emptyFolder()
  const orderFile = join(folder.path, 'order')
  writeFileSync(orderFile, `${[body === '' ? 'GET' : 'POST', key, body, ...paths].join('\n')}\n`)
  const command =
    GENERATOR === 'wrk'
      ? ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '-s', file('wrk.lua'), url, '--', orderFile]
      : [process.execPath, file('generator.ts'), url, orderFile, String(connections), String(seconds)]
  const [program, ...args] = onCore(LOAD_CORE, command) as [string, ...string[]]
  const before = endedChildrenCpuSeconds()
  const { stdout } = await run(program, args)
  const generatorBusy = (endedChildrenCpuSeconds() - before) / seconds
  const { failures, ...rest } = JSON.parse(stdout.trim().split('\n').at(-1) as string)
  if (failures > 0 || rest.calls === 0) throw new Error(`${failures} of ${rest.calls} calls to ${paths[0]} failed.`)
  return { ...rest, generatorBusy }
}

function file(name: string): string {
  return new URL(name, import.meta.url).pathname
}
