import type { Command } from 'commander'
import { deleteAccount, findAccount } from '../domain/administration/accounts.ts'
import { Mistake } from '../domain/errors.ts'
import { accountView } from '../views.ts'
import { printJson } from './json.ts'
import { formatCount, printText } from './text.ts'
import { withActing } from './with-store.ts'

export function addAccountDelete(account: Command): void {
  account
    .command('delete')
    .description('Delete an account and all its keys for good.')
    .argument('<account>', 'name or id of the account')
    .option('--yes', 'really delete it; without this, only say what would be lost')
    .option('--json', 'print the account that was deleted as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (nameOrId: string, { yes, json }: { yes?: true; json?: true }) => {
      const { deleted, keys } = await withActing(async acting => {
        const { id, name } = await findAccount(acting.store, nameOrId)
        const keys = (await acting.store.listKeys(id)).length
        if (!yes) {
          const loss = keys === 0 ? 'It has no keys.' : `Its ${formatCount(keys, 'key')} would stop working for good.`
          throw new Mistake(
            'conflict',
            `Deleting account ${id} "${name}" cannot be undone. ${loss} To go on, add --yes.`,
          )
        }
        return { deleted: await deleteAccount(acting, String(id)), keys }
      })
      if (json) return printJson({ ...accountView(deleted), deletedKeys: keys })
      printText(`Account ${deleted.id} "${deleted.name}" is deleted, and with it ${formatCount(keys, 'key')}.`)
    })
}

const EXAMPLES = `
This cannot be undone. What the account has used, and what was done to it, can
still be seen by its id: petstore usage 3, petstore audit --account 3. To keep
it out for a time only, use petstore account suspend.

Examples:
  $ petstore account delete acme
  $ petstore account delete acme --yes
  $ petstore account delete 3 --yes --json`
