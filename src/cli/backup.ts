import type { Command } from 'commander'
import { parseConfig } from '../config.ts'
import { formatBytes } from '../doctor/bytes.ts'
import { formatHoldings, holdingsJson } from './holdings.ts'
import { printJson } from './json.ts'
import { printText } from './text.ts'
import { untilInterrupted } from './until-interrupted.ts'

const STOPPED = 'Stopped: no backup has been written.'

export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('Write all that the store holds into one file, also while the service runs.')
    .argument('<file>', 'where to; must not be there yet')
    .option('--force', 'replace the file if it is there')
    .option('--json', 'print what the backup holds as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, { force = false, json }: { force?: boolean; json?: true }) => {
      const config = parseConfig(process.env)
      const { backUp } = await import('../store-files.ts')
      const { holdings, bytes } = await untilInterrupted(STOPPED, signal =>
        backUp(config, file, Date.now(), { force, signal }),
      )
      if (json) return printJson({ file, bytes, ...holdingsJson(holdings) })
      printText(
        formatHoldings(holdings),
        '',
        `${file} holds the ${holdings.deployment} store as of the moment this command began (${formatBytes(bytes)}).`,
        'It has been opened, checked and counted. Only this user may read it: it holds the',
        'hashes of keys and tokens. Keep a copy on another machine.',
      )
    })
}

const EXAMPLES = `
The backup is one file, of one moment: every animal whose creation was answered
before the command began is in it. It is checked before it gets its name; if
anything fails, or the command is stopped, no file is left.
A store in PostgreSQL is backed up with pg_dump instead.

Examples:
  $ petstore backup /var/backups/petstore/petstore-2027-03-01.db
  $ petstore backup latest.db --force --json`
