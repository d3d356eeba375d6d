import type { Command } from 'commander'
import { accountState, accountView } from '../views.ts'
import { printJson } from './json.ts'
import { formatMinute, printTable, printText } from './text.ts'
import { withStore } from './with-store.ts'

const HEADINGS = ['ID', 'NAME', 'PLAN', 'PER MINUTE', 'PER DAY', 'STATE', 'DEPRECATED CALLS', 'LAST']

export function addAccountList(account: Command): void {
  account
    .command('list')
    .description('List all accounts, oldest first.')
    .option('--json', 'print a JSON array of accounts')
    .addHelpText('after', EXAMPLES)
    .action(async ({ json }: { json?: true }) => {
      const accounts = await withStore(store => store.listAccounts())
      if (json) return printJson(accounts.map(accountView))
      if (accounts.length === 0) return printText('There is no account yet; make one with petstore account create.')
      const rows = accounts.map(one => [
        one.id,
        one.name,
        one.plan,
        one.limits.perMinute,
        one.limits.perDay,
        accountState(one),
        one.deprecatedCalls,
        formatMinute(one.lastDeprecatedCallAt),
      ])
      printTable(HEADINGS, rows)
    })
}

const EXAMPLES = `
STATE is active or suspended. DEPRECATED CALLS counts the account's calls of
GET /pets/{petId}, which is to be removed; LAST is when the latest of them was,
in UTC. When an account was created, --json tells.

Examples:
  $ petstore account list
  $ petstore account list --json`
