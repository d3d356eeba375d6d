import type { Command } from 'commander'
import { COMMAND } from '../app/command-name.ts'
import { DEFAULT_OVERLAP_SECONDS, issueKey, listKeys, revokeKey, rotateKey } from '../domain/administration/keys.ts'
import { secretState } from '../domain/secret.ts'
import { issuedKeyJson, keyJson } from '../schema/operator-json.ts'
import { parseOverlap, parseTime } from './arguments.ts'
import { type JsonOption, print, printList, printSecret } from './output/print.ts'
import { formatMinute, formatSecond } from './output/text.ts'
import { withAdminContext, withStore } from './with-store.ts'

const ACCOUNT = 'name or id of the account'
const KEY_ID = 'id of the key, as shown by key list'

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('API keys: the credentials of an account.')

  key
    .command('create')
    .description('Create an API key. It is shown only once.')
    .argument('<account>', ACCOUNT)
    .option('--name <name>', 'label to tell keys apart')
    .option('--expires <date>', 'when it stops working (default: never)', parseTime)
    .option('--json', 'print the key as JSON')
    .addHelpText('after', CREATE_HELP)
    .action(async (account: string, { name, expires, json }: { name?: string; expires?: number } & JsonOption) => {
      const issued = await withAdminContext(context => issueKey(context, { account, name, expiresAt: expires }))
      const expiry = issued.expiresAt === undefined ? '' : ` It works until ${formatSecond(issued.expiresAt)}.`
      await printSecret(json, {
        name: `Key ${issued.id}`,
        secret: issued.key,
        document: issuedKeyJson(issued),
        lines: [`This is key ${issued.id} of account "${issued.accountName}".${expiry}`],
      })
    })

  key
    .command('list')
    .description('List the keys of one account, or of all, oldest first.')
    .argument('[account]', ACCOUNT)
    .option('--json', 'print a JSON array of keys')
    .addHelpText('after', LIST_HELP)
    .action(async (account: string | undefined, { json }: JsonOption) => {
      const now = Date.now()
      printList(json, await withStore(store => listKeys(store, account)), {
        toJson: one => keyJson(one, now),
        columns: {
          ID: one => one.id,
          ACCOUNT: one => one.accountName,
          NAME: one => one.name ?? '-',
          'ENDS IN': one => one.hint,
          STATE: one => secretState(one, now),
          'LAST USED': one => formatMinute(one.lastUsedAt),
          EXPIRES: one => formatMinute(one.expiresAt),
        },
        whenEmpty: `There are no keys yet; create one with ${COMMAND} key create.`,
      })
    })

  key
    .command('rotate')
    .description('Replace a key with a new one of the same name and expiry.')
    .argument('<key-id>', KEY_ID)
    .option('--overlap <seconds>', 'how long the old key keeps working', parseOverlap, DEFAULT_OVERLAP_SECONDS)
    .option('--json', 'print the new key as JSON')
    .addHelpText('after', ROTATE_HELP)
    .action(async (keyId: string, { overlap, json }: { overlap: number } & JsonOption) => {
      const { issued, old } = await withAdminContext(context => rotateKey(context, { keyId, overlapSeconds: overlap }))
      await printSecret(json, {
        name: `Key ${issued.id}`,
        secret: issued.key,
        document: issuedKeyJson(issued),
        lines: [
          `This is key ${issued.id} of account "${issued.accountName}".`,
          `It replaces key ${old.id}, which works until ${formatSecond(old.expiresAt)}.`,
        ],
      })
    })

  key
    .command('revoke')
    .description('Permanently revoke a key: its next call is refused.')
    .argument('<key-id>', KEY_ID)
    .option('--json', 'print the key as JSON')
    .addHelpText('after', REVOKE_HELP)
    .action(async (keyId: string, { json }: JsonOption) => {
      const revoked = await withAdminContext(context => revokeKey(context, keyId))
      print(json, keyJson(revoked, Date.now()), `Key ${revoked.id} of account "${revoked.accountName}" is revoked.`)
    })
}

const CREATE_HELP = `
A date without a time means 00:00 UTC; a time needs a zone.

Examples:
  $ petstore key create acme
  $ petstore key create acme --name laptop --expires 2030-12-31
  $ petstore key create 1 --expires 2030-12-31T18:00+01:00 --json`

const LIST_HELP = `
The keys themselves are not stored; ENDS IN shows the last characters of each.
STATE is active, expired or revoked. LAST USED lags a few seconds behind. All
times are UTC. --json also shows when each key was created and revoked.

Examples:
  $ petstore key list
  $ petstore key list acme --json`

const ROTATE_HELP = `
While both keys work, move every client to the new one. The overlap never
extends the life of the old key. With --overlap 0 it stops working at once.

Examples:
  $ petstore key rotate 3
  $ petstore key rotate 3 --overlap 3600
  $ petstore key rotate 3 --overlap 0 --json`

const REVOKE_HELP = `
A revoked key cannot be restored. To replace a key without downtime, use
petstore key rotate instead.

Examples:
  $ petstore key revoke 3
  $ petstore key revoke 3 --json`
