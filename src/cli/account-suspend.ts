import type { Command } from 'commander'
import { COMMAND } from '../command-name.ts'
import { suspendAccount } from '../domain/administration/accounts.ts'
import { accountView } from '../views.ts'
import { printJson } from './json.ts'
import { printText } from './text.ts'
import { withActing } from './with-store.ts'

export function addAccountSuspend(account: Command): void {
  account
    .command('suspend')
    .description('Refuse all calls of an account until it is resumed.')
    .argument('<account>', 'name or id of the account')
    .option('--json', 'print the account as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (nameOrId: string, { json }: { json?: true }) => {
      const suspended = await withActing(acting => suspendAccount(acting, nameOrId))
      if (json) return printJson(accountView(suspended))
      printText(
        `Account ${suspended.id} "${suspended.name}" is suspended: its keys are refused from their next call on.`,
        `To let it in again: ${COMMAND} account resume ${suspended.id}`,
      )
    })
}

const EXAMPLES = `
Nothing is lost: the account keeps its plan, its keys and what it has used.

Examples:
  $ petstore account suspend acme
  $ petstore account suspend 1 --json`
