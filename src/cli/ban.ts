import type { Command } from 'commander'
import { findAccount } from '../domain/administration/accounts.ts'
import { liftBan, listBans } from '../domain/administration/bans.ts'
import { banJson } from '../schema/operator-json.ts'
import { BAN_COLUMNS } from './output/access-columns.ts'
import { type JsonOption, print, printList } from './output/print.ts'
import { withAdminContext, withStore } from './with-store.ts'

export function addBanCommands(program: Command): void {
  const ban = program.command('ban').description('Bans of keys that kept calling after 429 responses.')

  ban
    .command('list')
    .description('List the bans in force, newest first.')
    .option('--account <account>', 'only bans of keys of this account (name or id)')
    .option('--json', 'print a JSON array of bans')
    .addHelpText('after', LIST_HELP)
    .action(async ({ account, json }: { account?: string } & JsonOption) => {
      const bans = await withStore(async store => {
        const accountId = account === undefined ? undefined : (await findAccount(store, account)).id
        return listBans(store, Date.now(), { accountId })
      })
      printList(json, bans, {
        toJson: banJson,
        columns: BAN_COLUMNS,
        whenEmpty: 'No key is banned.',
      })
    })

  ban
    .command('lift')
    .description('End the ban of a key now.')
    .argument('<key-id>', 'id of the key, as shown by ban list')
    .option('--json', 'print the ban as JSON')
    .addHelpText('after', LIFT_HELP)
    .action(async (keyId: string, { json }: JsonOption) => {
      const lifted = await withAdminContext(context => liftBan(context, keyId))
      const { id, accountName } = lifted.key
      print(json, banJson(lifted), `Key ${id} of account "${accountName}" is no longer banned.`)
    })
}

const LIST_HELP = `
A key that keeps calling after 429 responses is banned for a time, which doubles
with each further ban (ORDINAL counts them). Other keys of the account keep
working. All times are UTC.

Examples:
  $ petstore ban list
  $ petstore ban list --account acme --json`

const LIFT_HELP = `
A lifted ban still counts towards the length of the key's next one.

Examples:
  $ petstore ban lift 3
  $ petstore ban lift 3 --json`
