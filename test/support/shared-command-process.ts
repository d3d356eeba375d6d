import { type ChildProcess, fork } from 'node:child_process'

export interface Ending {
  code: number
  stdout: string
  stderr: string
}

/**
 * Runs command lines one after another in one process, which is reused: a process for each would take a quarter of a second. For tests of a command's
 * output and effect, not of its process.
 * @param env all settings of these command lines, and no others
 */
export function runInTurn(
  commandLines: readonly (readonly string[])[],
  env: Record<string, string | undefined>,
): Promise<Ending[]> {
  const endings = last.then(() => ask({ commandLines, env }))
  last = endings.catch(() => {})
  return endings
}

/** The last request to the process. */
let last: Promise<unknown> = Promise.resolve()
let kept: ChildProcess | undefined

/** As `bin/petstore.js` does. */
const OWN_MODULES = new URL('../../bin/own-modules.js', import.meta.url).href

interface Batch {
  commandLines: readonly (readonly string[])[]
  env: Record<string, string | undefined>
}

async function ask(batch: Batch): Promise<Ending[]> {
  kept ??= fork(import.meta.filename, {
    execArgv: ['--import', OWN_MODULES],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const child = kept
  keepAlive(child, true)
  const answered = Promise.withResolvers<Ending[]>()
  const end = (code: number | null, signal: string | null) => {
    kept = undefined
    answered.reject(new Error(`The process of the command lines has ended early (${code ?? signal}).`))
  }
  child.once('exit', end).once('message', answered.resolve as (message: unknown) => void)
  child.send(batch)
  try {
    return await answered.promise
  } finally {
    child.off('exit', end).removeAllListeners('message')
    keepAlive(child, false)
  }
}

/** Whether the child process keeps this one alive. */
function keepAlive(child: ChildProcess, isNeeded: boolean): void {
  for (const one of [child, child.channel]) {
    if (isNeeded) one?.ref()
    else one?.unref()
  }
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
  // The error keeps the code after the exit from running. It has no further effect on the result.
  process.exit = code => {
    ending ??= { code: Number(code ?? process.exitCode ?? 0), ...printed }
    throw new Error('The command line has ended.')
  }
  process.exitCode = 0
  await run([process.execPath, 'petstore', ...args])
  return ending ?? { code: Number(process.exitCode), ...printed }
}

if (import.meta.main) {
  const { run } = await import('../../src/cli/run.ts')
  const { exit } = process
  // Each command line adds listeners to standard output, and a `serve` that is refused to the process; they are never removed.
  process.stdout.setMaxListeners(0)
  process.setMaxListeners(0)
  process.on('message', async ({ commandLines, env }: Batch) => {
    // Threads that a command starts find the compile cache through this variable.
    const { NODE_COMPILE_CACHE } = process.env
    for (const name of Object.keys(process.env)) delete process.env[name]
    Object.assign(process.env, { ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...env })
    const endings: Ending[] = []
    for (const args of commandLines) endings.push(await endingOf(run, args))
    process.exitCode = 0
    process.send?.(endings)
  })
  process.on('disconnect', () => exit.call(process))
}
