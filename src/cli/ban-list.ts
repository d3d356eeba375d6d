import type { Command } from 'commander'
import { listBans } from '../domain/administration/bans.ts'
import { banView } from '../views.ts'
import { printJson } from './json.ts'
import { formatMinute, printTable, printText } from './text.ts'
import { withStore } from './with-store.ts'

const HEADINGS = ['KEY ID', 'ACCOUNT', 'KEY NAME', 'STARTED', 'ENDS', 'ORDINAL']

export function addBanList(ban: Command): void {
  ban
    .command('list')
    .description('List the bans in force, newest first.')
    .option('--json', 'print a JSON array of bans')
    .addHelpText('after', EXAMPLES)
    .action(async ({ json }: { json?: true }) => {
      const bans = await withStore(store => listBans(store, Date.now()))
      if (json) return printJson(bans.map(banView))
      if (bans.length === 0) return printText('No key is banned.')
      const rows = bans.map(({ ban, key }) => [
        ban.keyId,
        key.accountName,
        key.name ?? '-',
        formatMinute(ban.startedAt),
        formatMinute(ban.endsAt),
        ban.ordinal,
      ])
      printTable(HEADINGS, rows)
    })
}

const EXAMPLES = `
A key that goes on calling when it was told to wait is banned for a time, twice
as long each further time (ORDINAL). Other keys of the account go on working.
All times are UTC.

Examples:
  $ petstore ban list
  $ petstore ban list --json`
