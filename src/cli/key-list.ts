import type { Command } from 'commander'
import { COMMAND } from '../command-name.ts'
import { keyState, listKeys } from '../domain/administration/keys.ts'
import { keyView } from '../views.ts'
import { printJson } from './json.ts'
import { formatMinute, printTable, printText } from './text.ts'
import { withStore } from './with-store.ts'

const HEADINGS = ['ID', 'ACCOUNT', 'NAME', 'ENDS IN', 'STATE', 'LAST USED', 'EXPIRES']

export function addKeyList(key: Command): void {
  key
    .command('list')
    .description('List the keys of one account, or of all, oldest first.')
    .argument('[account]', 'name or id of the account')
    .option('--json', 'print a JSON array of keys')
    .addHelpText('after', EXAMPLES)
    .action(async (account: string | undefined, { json }: { json?: true }) => {
      const now = Date.now()
      const keys = await withStore(store => listKeys(store, account))
      if (json) return printJson(keys.map(one => keyView(one, now)))
      if (keys.length === 0) return printText(`There is no key yet; issue one with ${COMMAND} key create.`)
      const rows = keys.map(one => [
        one.id,
        one.accountName,
        one.name ?? '-',
        one.hint,
        keyState(one, now),
        formatMinute(one.lastUsedAt),
        formatMinute(one.expiresAt),
      ])
      printTable(HEADINGS, rows)
    })
}

const EXAMPLES = `
The keys themselves are not stored; ENDS IN shows the last characters of each.
STATE is active, expired or revoked. A call shows in LAST USED after a few
seconds. All times are UTC. When a key was created and revoked, --json tells.

Examples:
  $ petstore key list
  $ petstore key list acme --json`
