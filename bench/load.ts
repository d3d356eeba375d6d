import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isInstalled, LOAD_CORE, onCore } from './cores.ts'
import { endedChildrenCpuSeconds } from './process-figures.ts'
import type { Program } from './program.ts'
import { emptyFolder } from './stock.ts'

/** What a load generator sends. Each call uses a random key and a random path. */
export interface Calls {
  key: string | readonly string[]
  paths: readonly string[]
  /** If given, the calls are POSTs. */
  body?: string | undefined
}

/** A load in which each connection sends its next call as soon as the last one is answered. */
export interface Order extends Calls {
  url: string
  connections: number
  seconds: number
}

/** The answered calls, and their latencies. */
export interface Load {
  calls: number
  p50Ms: number
  p99Ms: number
  seconds: number
  /** The share of its core that the load generator used; NaN if unknown. */
  generatorBusy: number
}

/** One load on one server. */
export interface Sample extends Load {
  callsPerSecond: number
  cpuMicrosPerCall: number
  /** The share of its core that the server got. */
  serverBusy: number
}

const run = promisify(execFile)

/** @throws Error if any call failed: a result made of failures means nothing */
export async function load({ url, connections, seconds, ...calls }: Order): Promise<Load> {
  if (!isInstalled('wrk')) throw new Error('The load generator wrk is not installed (apt-get install wrk).')
  using folder = emptyFolder()
  const script = new URL('wrk.lua', import.meta.url).pathname
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script]
  const before = endedChildrenCpuSeconds()
  const { failures, ...rest } = await runGenerator(['wrk', ...options, url, '--', writeOrderFile(folder.path, calls)])
  const generatorBusy = (endedChildrenCpuSeconds() - before) / seconds
  if (failures > 0 || rest.calls === 0)
    throw new Error(`${failures} of ${rest.calls} calls to ${calls.paths[0]} failed.`)
  return { ...rest, generatorBusy }
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

/** Runs a load generator on its core. Returns what it reports: the JSON in its last line. */
export async function runGenerator(command: readonly string[]) {
  const [program, ...args] = onCore(LOAD_CORE, command) as [string, ...string[]]
  const { stdout } = await run(program, args)
  return JSON.parse(stdout.trim().split('\n').at(-1) as string)
}

/** Writes the calls to a file in a folder: method, body, then a key and a path per line. Returns its path. */
export function writeOrderFile(folder: string, { key, paths, body = '' }: Calls): string {
  const file = join(folder, 'order')
  const calls = [key].flat().flatMap(one => paths.map(path => `${one} ${path}`))
  writeFileSync(file, `${[body === '' ? 'GET' : 'POST', body, ...calls].join('\n')}\n`)
  return file
}
