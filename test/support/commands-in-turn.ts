import { fork } from 'node:child_process'
import { once } from 'node:events'

export interface Ending {
  code: number
  stdout: string
  stderr: string
}

/**
 * Runs command lines one after another in one process, for tests to which their words matter: a process for each would take a quarter of a
 * second. Each is run by what the program runs it by, and is over when it exits or has nothing more to do.
 */
export async function runInTurn(
  commandLines: readonly (readonly string[])[],
  env: Record<string, string | undefined>,
): Promise<Ending[]> {
  const child = fork(import.meta.filename, {
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  let endings: Ending[] | undefined
  child.once('message', message => {
    endings = message as Ending[]
  })
  child.send(commandLines)
  const [code, signal] = await ended
  if (!endings) throw new Error(`The process of the command lines has ended early (${code ?? signal}).`)
  return endings
}

async function endingOf(run: (argv: readonly string[]) => Promise<void>, args: readonly string[]): Promise<Ending> {
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (text: string | Uint8Array, ...rest: unknown[]) => {
      printed[name] += text
      const written = rest.at(-1)
      if (typeof written === 'function') queueMicrotask(() => written())
      return true
    }
  }
  let ending: Ending | undefined
  // What is thrown keeps the code behind the exit from running; what becomes of it is no part of the ending any more.
  process.exit = code => {
    ending ??= { code: Number(code ?? process.exitCode ?? 0), ...printed }
    throw new Error('The command line has ended.')
  }
  process.exitCode = 0
  await run([process.execPath, 'petstore', ...args])
  return ending ?? { code: Number(process.exitCode), ...printed }
}

if (import.meta.main) {
  const { run } = await import('../../src/cli/program.ts')
  // Each command line watches standard output, and none ends with the process.
  process.stdout.setMaxListeners(0)
  process.once('message', async (commandLines: readonly (readonly string[])[]) => {
    const endings: Ending[] = []
    for (const args of commandLines) endings.push(await endingOf(run, args))
    process.exitCode = 0
    process.send?.(endings, () => process.disconnect?.())
  })
}
