import { type Command, Help } from 'commander'
import { parseConfig } from '../app/config.ts'
import { SETTINGS } from '../app/settings.ts'
import { prepareDemo } from './demo.ts'
import { LogLines } from './output/log-lines.ts'
import { printText } from './output/print.ts'

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('Run the service until it is stopped (SIGTERM or Ctrl-C).')
    .option('--demo', 'add sample animals to an empty store, and print a key to try')
    .addHelpText('after', formatHelp())
    .action(serve)
}

async function serve({ demo = false }: { demo?: boolean }): Promise<void> {
  const stopped = awaitStop()
  const config = parseConfig(process.env)
  // With --demo, standard output is for a person.
  const logTo = new LogLines(demo ? process.stderr : process.stdout)
  // Loaded late, so that help and other commands stay fast.
  const { openLog } = await import('../app/log.ts')
  const { startService } = await import('../app/service.ts')
  const { findUnknownSettings } = await import('../app/unknown-settings.ts')
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
    // A reader that no longer reads the log would keep the process alive forever.
    setTimeout(() => process.exit(), LAST_LINES_MS).unref()
  }
}

/** How long the last lines of the log wait for their reader. */
const LAST_LINES_MS = 1_000

/** A terminal sends one Ctrl-C to the whole process group, and npm passes it on again: that does not count as a second signal. */
const SAME_SIGNAL_MS = 200

/** Resolves at the first signal to stop. A second one exits at once. */
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
The log has one JSON document per line. It goes to standard output or, with
--demo, to standard error.

Examples:
  $ petstore serve --demo
  $ PETSTORE_PORT=9000 PETSTORE_DATA=/var/lib/petstore petstore serve

Settings are environment variables, shown here with their defaults:
${settings.join('\n')}`
}
