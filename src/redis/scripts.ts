import { readFileSync } from 'node:fs'

/** The scripts that run in Redis, each on one key. */
export const SCRIPTS = {
  consume: read(new URL('consume.lua', import.meta.url)),
  settleBan: read(new URL('settle-ban.lua', import.meta.url)),
  probe: read(new URL('probe.lua', import.meta.url)),
}

export type ScriptName = keyof typeof SCRIPTS

/** The commands that a user of the server must be allowed to run: those that run scripts, and those in the scripts. */
export const NEEDED_COMMANDS: readonly string[] = [
  'eval',
  'evalsha',
  ...new Set(Object.values(SCRIPTS).flatMap(commandsOf)),
].toSorted()

/** The access rules of such a user (ACL SETUSER). On a cluster, it also needs +cluster|slots. */
export const NEEDED_RIGHTS = ['~petstore:*', ...NEEDED_COMMANDS.map(command => `+${command}`)].join(' ')

function commandsOf(lua: string): string[] {
  return [...lua.matchAll(/\bredis\.p?call\('(\w+)'/g)].map(([, command = '']) => command.toLowerCase())
}

function read(file: URL): string {
  return readFileSync(file, 'utf8')
}
