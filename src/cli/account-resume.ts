import type { Command } from 'commander'
import { resumeAccount } from '../domain/administration/accounts.ts'
import { accountView } from '../views.ts'
import { printJson } from './json.ts'
import { printText } from './text.ts'
import { withActing } from './with-store.ts'

export function addAccountResume(account: Command): void {
  account
    .command('resume')
    .description('Let a suspended account call again.')
    .argument('<account>', 'name or id of the account')
    .option('--json', 'print the account as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (nameOrId: string, { json }: { json?: true }) => {
      const resumed = await withActing(acting => resumeAccount(acting, nameOrId))
      if (json) return printJson(accountView(resumed))
      printText(`Account ${resumed.id} "${resumed.name}" is active again.`)
    })
}

const EXAMPLES = `
Its keys work as before; those that expired or were revoked meanwhile do not.

Examples:
  $ petstore account resume acme
  $ petstore account resume 1 --json`
