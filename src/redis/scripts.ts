import { readFileSync } from 'node:fs'
import { reasonOf } from '../domain/system-error.ts'

/** The scripts that run in Redis, each on one key. */
export const SCRIPTS = {
  consume: read(new URL('consume.lua', import.meta.url)),
  settleBan: read(new URL('settle-ban.lua', import.meta.url)),
  probe: read(new URL('probe.lua', import.meta.url)),
  news: read(new URL('news.lua', import.meta.url)),
  trial: read(new URL('trial.lua', import.meta.url)),
}

export type ScriptName = keyof typeof SCRIPTS

/** The commands that a user of the server must be allowed to run: those that run scripts, those in the scripts, and the one that receives news. */
export const NEEDED_COMMANDS: readonly string[] = [
  'eval',
  'evalsha',
  'subscribe',
  ...new Set(Object.values(SCRIPTS).flatMap(commandsOf)),
].toSorted()

/** The access rules of such a user (ACL SETUSER). On a cluster, it also needs +cluster|slots. */
export const NEEDED_RIGHTS = ['~petstore:*', '&petstore:*', ...NEEDED_COMMANDS.map(command => `+${command}`)].join(' ')

/** Why a command or a script failed and, if its user lacks a right, the rights that it needs. */
export function explainDenied(error: Error): string {
  const [, command, cause] = NAMED.exec(error.message) ?? []
  const reason = command === undefined ? reasonOf(error) : `the command ${command} failed (${cause})`
  if (!DENIED.test(error.message)) return reason
  return `${reason}; its user needs the rights ${NEEDED_RIGHTS}, and on a cluster +cluster|slots`
}

/** trial.lua names the command that failed: `[HSET] ERR …`. The server adds where in the script that was. */
const NAMED = /\[(\w+)\] (?:ERR |NOPERM )?(.*?)(?: script: \w+, on .*)?$/
/** Redis 6 and 7.0 have no error code for what is denied within a script. */
const DENIED = /NOPERM|no permissions|user executing the script can't/

function commandsOf(lua: string): string[] {
  return [...lua.matchAll(/\b(?:redis\.p?call|run)\('(\w+)'/g)].map(([, command = '']) => command.toLowerCase())
}

function read(file: URL): string {
  return readFileSync(file, 'utf8')
}
