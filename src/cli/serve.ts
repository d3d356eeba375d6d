import { type Command, Help } from 'commander'
import { findUnknownSettings, parseConfig, SETTINGS } from '../config.ts'
import { prepareDemo } from './demo.ts'
import { LogLines } from './log-lines.ts'
import { printText } from './text.ts'

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('Run the service until it is told to stop (SIGTERM or Ctrl-C).')
    .option('--demo', 'fill an empty store with animals, and print a key to try the service with')
    .addHelpText('after', formatHelp())
    .action(serve)
}

async function serve({ demo = false }: { demo?: boolean }): Promise<void> {
  const stopped = awaitStop()
  const config = parseConfig(process.env)
  // The demo's words are for a person: the log leaves standard output to them.
  const logTo = new LogLines(demo ? process.stderr : process.stdout)
  // Help and other commands do not wait for these to be loaded.
  const { openLog } = await import('../log.ts')
  const { startService } = await import('../service.ts')
  const log = openLog(config.logLevel, logTo)
  for (const warning of findUnknownSettings(process.env)) log.warn(warning)

  const service = await startService(config, { logTo })
  logTo.flush()
  try {
    if (demo) printText(await prepareDemo(service, config.deployment, Date.now()))
    await stopped
  } finally {
    await service.close()
    logTo.flush()
    // A reader that takes no more of the log would keep the process for ever.
    setTimeout(() => process.exit(), LAST_LINES_MS).unref()
  }
}

/** For how long the last lines of the log wait for their reader. */
const LAST_LINES_MS = 1_000

/** A terminal tells a whole process group of one Ctrl-C, and npm passes it on once more: that is not a second signal yet. */
const SAME_SIGNAL_MS = 200

/** Resolves at the first signal to stop. A second one ends the process at once. */
function awaitStop(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let firstAt: number | undefined
  const stop = () => {
    firstAt ??= performance.now()
    if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(1)
    resolve()
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  return promise
}

const INDENT = '      '
const SETTINGS_WIDTH = 74

function formatHelp(): string {
  const help = new Help()
  const settings = Object.values(SETTINGS).map(({ name, default: fallback, meaning }) => {
    const lines = help.boxWrap(meaning, SETTINGS_WIDTH).replaceAll(/^/gm, INDENT)
    return `  ${name}=${fallback}\n${lines}`
  })
  return `
Without --demo, standard output carries the log: one JSON document a line. With
it, the log goes to standard error.

Examples:
  $ petstore serve --demo
  $ PETSTORE_PORT=9000 PETSTORE_DATA=/var/lib/petstore petstore serve

Settings are environment variables, shown here with what they are when unset:
${settings.join('\n')}`
}
