import type { Command } from 'commander'
import { listBans } from '../domain/administration.ts'
import type { ApiKey } from '../domain/api-key.ts'
import type { Ban } from '../domain/ban.ts'
import type { Store } from '../domain/store.ts'
import { banJson, printJson } from './json.ts'
import { formatTable, formatTime, printText } from './text.ts'
import { withStore } from './with-store.ts'

const HEADINGS = ['KEY ID', 'ACCOUNT', 'KEY NAME', 'STARTED', 'ENDS', 'ORDINAL']

export function addBanList(ban: Command): void {
  ban
    .command('list')
    .description('List the bans in force, newest first.')
    .option('--json', 'print a JSON array of bans')
    .addHelpText('after', EXAMPLES)
    .action(async ({ json }: { json?: true }) => {
      const bans = await withStore(listBansWithKeys)
      if (json) return printJson(bans.map(({ ban, key }) => banJson(ban, key)))
      if (bans.length === 0) return printText('No key is banned.')
      const rows = bans.map(({ ban, key }) => [
        ban.keyId,
        key.accountName,
        key.name ?? '-',
        formatTime(ban.startedAt),
        formatTime(ban.endsAt),
        ban.ordinal,
      ])
      printText(formatTable(HEADINGS, rows))
    })
}

async function listBansWithKeys(store: Store): Promise<{ ban: Ban; key: ApiKey }[]> {
  const bans = await listBans(store, Date.now())
  const keys = new Map((await store.listKeys()).map(key => [key.id, key]))
  return bans.map(ban => ({ ban, key: keys.get(ban.keyId) as ApiKey }))
}

const EXAMPLES = `
A key that goes on calling when it was told to wait is banned for a time, twice
as long each further time (ORDINAL). Other keys of the account go on working.

Examples:
  $ petstore ban list
  $ petstore ban list --json`
