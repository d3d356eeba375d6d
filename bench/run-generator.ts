import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { LOAD_CORE, onCore } from './cores.ts'

const run = promisify(execFile)

/**
 * Runs a load generator on its core. Returns what it reports: the JSON in its last line.
 * @param mayUseAllCores whether it may use every core instead
 */
export async function runGenerator(command: readonly string[], mayUseAllCores = false) {
  const [program, ...args] = (mayUseAllCores ? command : onCore(LOAD_CORE, command)) as [string, ...string[]]
  const { stdout } = await run(program, args)
  return JSON.parse(stdout.trim().split('\n').at(-1) as string)
}
