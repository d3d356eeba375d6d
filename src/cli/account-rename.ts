import type { Command } from 'commander'
import { renameAccount } from '../domain/administration/accounts.ts'
import { accountView } from '../views.ts'
import { printJson } from './json.ts'
import { printText } from './text.ts'
import { withActing } from './with-store.ts'

export function addAccountRename(account: Command): void {
  account
    .command('rename')
    .description('Give an account another name. Its id and its keys stay the same.')
    .argument('<account>', 'name or id of the account')
    .argument('<name>', 'its new name; no other account may have it')
    .option('--json', 'print the account as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (nameOrId: string, name: string, { json }: { json?: true }) => {
      const renamed = await withActing(acting => renameAccount(acting, { account: nameOrId, name }))
      if (json) return printJson(accountView(renamed))
      printText(`Account ${renamed.id} is now named "${renamed.name}".`)
    })
}

const EXAMPLES = `
Examples:
  $ petstore account rename acme "Acme Pets"
  $ petstore account rename 1 acme --json`
