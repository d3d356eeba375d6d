import { Help } from 'commander'
import { type Config, loadConfig } from '../app/config.ts'
import { chooseDemoFolder, isChosenWhileRunning } from '../app/demo-folder.ts'
import { publicBaseUrl } from '../app/public-address.ts'
import type { Service } from '../app/service.ts'
import { SETTINGS, type Setting, TOPICS } from '../app/settings.ts'
import type { Command } from './command.ts'
import { DEMO_KEY_DAYS, ensureDemoStore, prepareDemo } from './demo.ts'
import { LogLines } from './output/log-lines.ts'
import { exitOnceUnread, openLogOutput } from './output/log-output.ts'
import { LogText } from './output/log-text.ts'
import { formatSignInUrl } from './sign-in-url.ts'
import { sshTunnel } from './ssh-tunnel.ts'
import { SIGNALS } from './until-interrupted.ts'
import { formatWelcome } from './welcome.ts'
import { newStoreMessage } from './with-store.ts'

export function addServeCommand(program: Command): void {
  program
    .newCommand('serve', 'Run the service until it is stopped (SIGTERM or Ctrl-C).')
    .option('--demo', 'try it: with sample data and a key, in a store of its own')
    .addHelpText('after', formatHelp)
    .action(serve)
}

async function serve({ demo = false }: { demo?: boolean }): Promise<void> {
  const stopped = awaitStop()
  if (demo) chooseDemoFolder()
  const config = loadConfig()
  // Links in responses would be wrong for callers on other machines.
  publicBaseUrl(config)
  // With --demo, instructions go to standard output.
  const stream = demo ? process.stderr : process.stdout
  const warnOfDropped = (dropped: number) => log.warn({ dropped }, 'log lines were dropped: they could not be written')
  const lines = new LogLines(openLogOutput(stream), warnOfDropped)
  const isText = config.logFormat === 'text' || (config.logFormat === 'auto' && stream.isTTY)
  const logTo = isText ? new LogText(lines, stream) : lines
  // Loaded late, so that help and other commands stay fast.
  const { openLog } = await import('../app/log.ts')
  const { hasStore } = await import('../app/open-store.ts')
  const { startService } = await import('../app/service.ts')
  const { findUnknownSettings } = await import('../app/unknown-settings.ts')
  const { findExposedPassword, settingsFile } = await import('../app/settings-file.ts')
  const log = openLog(config.logLevel, logTo)
  const file = settingsFile()
  const exposed = file && findExposedPassword(file, process.env)
  for (const warning of [...findUnknownSettings(process.env), ...(exposed ? [exposed] : [])]) log.warn(warning)

  if (demo) await ensureDemoStore(config, Date.now())
  // The welcome names the folder of a demo.
  const isNew = !demo && !hasStore(config)
  const service = await startService(config, { logTo, droppedLogLines: () => lines.dropped })
  if (isNew) log.info(newStoreMessage(config.dataFolder))
  lines.flush()
  try {
    if (demo) await welcome(service, config)
    await stopped
  } finally {
    await service.close().finally(() => {
      lines.flush()
      exitOnceUnread(stream)
    })
  }
}

async function welcome(service: Service, { deployment, databaseUrl, dataFolder }: Config): Promise<void> {
  const { key, link } = await prepareDemo(service, deployment, Date.now())
  const folder = databaseUrl === undefined ? dataFolder : undefined
  const signInUrl = formatSignInUrl(service.operatorUrl, link.secret)
  const ssh = sshTunnel(signInUrl, process.env)
  const demo = { key, keyDays: DEMO_KEY_DAYS, signInUrl, ssh }
  const mustBeSet = folder !== undefined && !isChosenWhileRunning(folder)
  const running = { ...service, ...demo, deployment, dataFolder: folder, mustBeSet }
  process.stdout.write(formatWelcome(running, process.stdout))
}

/** A terminal sends Ctrl-C to the whole process group, and npm forwards it again. The repeat does not count as a second signal. */
const SAME_SIGNAL_MS = 200

/** Resolves at the first signal to stop. A second one ends the process immediately. */
function awaitStop(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let firstAt: number | undefined
  const stop = () => {
    firstAt ??= performance.now()
    if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(1)
    resolve()
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  return promise
}

const INDENT = '      '
const SETTINGS_WIDTH = 74

function formatHelp(): string {
  const help = new Help()
  const formatSetting = ({ name, default: fallback = '', meaning }: Setting) => {
    const lines = help.boxWrap(meaning, SETTINGS_WIDTH).replaceAll(/^/gm, INDENT)
    return `  ${name}=${fallback}\n${lines}`
  }
  const topics = TOPICS.map(topic => {
    const settings = Object.values<Setting>(SETTINGS).filter(setting => setting.topic === topic)
    return `\n${topic}:\n${settings.map(formatSetting).join('\n')}`
  })
  return `
The log goes to standard output or, with --demo, to standard error. It has one
JSON document per line or, on a terminal, readable text.

Examples:
  $ petstore serve --demo
  $ PETSTORE_PORT=9000 PETSTORE_DATA=/var/lib/petstore petstore serve

Settings are environment variables, shown here with their defaults:
${topics.join('\n')}`
}
