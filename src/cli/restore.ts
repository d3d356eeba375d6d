import type { Command } from 'commander'
import { parseConfig } from '../config.ts'
import type { Restored } from '../store-files.ts'
import { commandLineActor } from './actor.ts'
import { formatHoldings, holdingsJson } from './holdings.ts'
import { printJson } from './json.ts'
import { printText } from './text.ts'
import { untilInterrupted } from './until-interrupted.ts'

const STOPPED = 'Stopped: the store is as it was.'

export function addRestore(program: Command): void {
  program
    .command('restore')
    .description('Make a backup the store of PETSTORE_DATA. The service must be stopped.')
    .argument('<file>', 'the backup; it stays as it is')
    .option('--force', 'move a store that is there aside')
    .option('--json', 'print what the store now holds as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, { force = false, json }: { force?: boolean; json?: true }) => {
      const config = parseConfig(process.env)
      const { restore } = await import('../store-files.ts')
      const restorer = { actor: commandLineActor(process.env), now: Date.now() }
      const restored = await untilInterrupted(STOPPED, signal => restore(config, file, restorer, { force, signal }))
      if (json) printJson(restoredJson(config.dataFolder, restored))
      else printText(...describe(config.dataFolder, file, restored))
    })
}

function restoredJson(folder: string, { holdings, fromVersion, movedTo }: Restored) {
  return { folder, fromVersion, movedTo: movedTo ?? null, ...holdingsJson(holdings) }
}

function describe(folder: string, file: string, { holdings, fromVersion, movedTo }: Restored): string[] {
  const { version, deployment } = holdings
  return [
    formatHoldings(holdings),
    '',
    `The ${deployment} store in ${folder} is now what ${file} holds.`,
    ...(fromVersion < version ? [`It was of version ${fromVersion} and has been brought to ${version}.`] : []),
    ...(movedTo === undefined ? [] : [`The store that was there before is ${movedTo}.`]),
    'What happened after the backup is not in it: keys and tokens that were revoked',
    'since then work again, and ids of animals created since then are given anew.',
    'Nobody is signed in: operators sign in again. The audit log tells of this.',
  ]
}

const EXAMPLES = `
The file is checked before the store is touched. A store that is there is never
deleted: --force moves it aside, under a name that is printed. A backup of an
older version is brought to this one. A store in PostgreSQL is restored with
pg_restore instead.

Examples:
  $ petstore restore /var/backups/petstore/petstore-2027-03-01.db
  $ PETSTORE_DATA=./copy petstore restore latest.db --json
  $ petstore restore latest.db --force`
