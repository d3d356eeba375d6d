import { findAccount } from '../domain/administration/accounts.ts'
import { liftBansOfKey, listBans } from '../domain/administration/bans.ts'
import { findKey } from '../domain/administration/keys.ts'
import { banState } from '../domain/ban.ts'
import type { NewestPage } from '../domain/store/page.ts'
import type { Store } from '../domain/store.ts'
import { banJson } from '../schema/responses/keys.ts'
import type { Command } from './command.ts'
import { BAN_COLUMNS } from './output/access-columns.ts'
import { type JsonOption, print } from './output/print.ts'
import { addPageOptions, PAGES_HELP, type PageOptions, showPage } from './pages.ts'
import { withAdminContext } from './with-store.ts'

interface ListOptions extends PageOptions {
  account?: string
  key?: string
  all?: boolean
}

export function addBanCommands(program: Command): void {
  const ban = program.newCommand('ban', 'Bans of keys for sources that kept calling after 429 responses.')

  const list = ban
    .newCommand('list', 'List the bans in force or, with --all, every ban, newest first.')
    .option('--account <account>', 'only bans of keys of this account (name or id)')
    .option('--key <key-id>', 'only bans of this key')
    .option('--all', 'include bans that have ended or were lifted')
  addPageOptions(list, 'before', 'bans')
    .json('print a JSON array of bans', LIST_HELP)
    .action(async ({ account, key, all = false, ...options }: ListOptions) => {
      const now = Date.now()
      const read = async (store: Store, page: NewestPage) => {
        const accountId = account === undefined ? undefined : (await findAccount(store, account)).id
        const keyId = key === undefined ? undefined : (await findKey(store, key)).id
        const bans = await listBans(store, { ...page, accountId, keyId, inForceAt: all ? undefined : now })
        return bans.map(one => ({ ...one, id: one.ban.id }))
      }
      await showPage(options, 'before', read, {
        toJson: one => banJson(one, now),
        columns: all ? { ...BAN_COLUMNS, STATE: ({ ban }) => banState(ban, now) } : BAN_COLUMNS,
        whenEmpty: all ? 'No ban matches.' : 'No key is banned.',
      })
    })

  ban
    .newCommand('lift', 'End the bans of a key now.')
    .argument('<key-id>', 'id of the key, as shown by ban list')
    .option('--source <source>', 'only the ban for this source, as shown by ban list')
    .json('print the newest of the lifted bans as JSON', LIFT_HELP)
    .action(async (keyId: string, { source, json }: JsonOption & { source?: string }) => {
      const lifted = await withAdminContext(context => liftBansOfKey(context, keyId, source))
      const { id, accountName } = lifted[0].key
      const where = source === undefined ? '' : ` for ${source}`
      print(json, banJson(lifted[0], Date.now()), `Key ${id} of account "${accountName}" is no longer banned${where}.`)
    })
}

const LIST_HELP = `
A key is banned temporarily for an address (of IPv6, for its /64) that keeps
calling after 429 responses. SOURCE is that address. Each further ban lasts
twice as long (ORDINAL counts the bans of a key for a source). The key keeps
working elsewhere, and so do other keys of the account. All times are UTC.
${PAGES_HELP}

Examples:
  $ petstore ban list
  $ petstore ban list --account acme --json
  $ petstore ban list --key 3 --all`

const LIFT_HELP = `
A lifted ban still counts towards the length of the next ban.

Examples:
  $ petstore ban lift 3
  $ petstore ban lift 3 --source 203.0.113.7
  $ petstore ban lift 3 --json`
