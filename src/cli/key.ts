import { type Command, Option } from 'commander'
import { COMMAND } from '../app/command-name.ts'
import {
  DEFAULT_OVERLAP_SECONDS,
  findKey,
  issueKey,
  listKeys,
  revokeKey,
  rotateKey,
} from '../domain/administration/keys.ts'
import type { ApiKey } from '../domain/api-key.ts'
import { SECRET_STATES, type SecretState, secretState } from '../domain/secret.ts'
import { issuedKeyJson, keyJson } from '../schema/operator-json.ts'
import { EXPIRY_HELP, parseExpiry, parseOverlap } from './arguments.ts'
import { confirm, YES, type YesOption } from './confirm.ts'
import { keyColumns } from './output/access-columns.ts'
import { type JsonOption, print, printList, printSecret } from './output/print.ts'
import { formatSecond } from './output/text.ts'
import { addPageOptions, PAGES_HELP, type PageOptions, readPage } from './pages.ts'
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
    .option('--expires <when>', 'when it stops working (default: never)', parseExpiry)
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

  const list = key
    .command('list')
    .description('List the keys of one account, or of all, oldest first.')
    .argument('[account]', ACCOUNT)
    .addOption(new Option('--state <state>', 'only keys in this state').choices(SECRET_STATES))
  addPageOptions(list, 'keys')
    .option('--json', 'print a JSON array of keys')
    .addHelpText('after', LIST_HELP)
    .action(async (account: string | undefined, { state, ...options }: PageOptions & { state?: SecretState }) => {
      const now = Date.now()
      const { items, hint } = await withStore(store =>
        readPage(options, page =>
          listKeys(store, account, { ...page, ...(state && { state: { is: state, at: now } }) }),
        ),
      )
      const isFiltered = state !== undefined || options.after !== undefined
      printList(options.json, items, {
        toJson: one => keyJson(one, now),
        columns: keyColumns(now),
        hint,
        whenEmpty: isFiltered
          ? 'There are no such keys.'
          : `There are no keys yet; create one with ${COMMAND} key create.`,
      })
    })

  key
    .command('rotate')
    .description('Replace a key with a new one of the same name and expiry.')
    .argument('<key-id>', KEY_ID)
    .addOption(
      new Option('--overlap <time>', 'how long the old key keeps working, in seconds, or as 12h or 7d')
        .argParser(parseOverlap)
        .default(DEFAULT_OVERLAP_SECONDS, 'a day'),
    )
    .option(...YES)
    .option('--json', 'print the new key as JSON')
    .addHelpText('after', ROTATE_HELP)
    .action(async (keyId: string, { overlap, yes, json }: { overlap: number } & YesOption & JsonOption) => {
      if (overlap === 0) {
        await confirm(yes, async () => {
          const key = await findWorkingKey(keyId)
          return key && `${describe(key)} would stop working at once. Rotate it without an overlap?`
        })
      }
      const { issued, old } = await withAdminContext(context => rotateKey(context, { keyId, overlapSeconds: overlap }))
      await printSecret(json, {
        name: `Key ${issued.id}`,
        secret: issued.key,
        document: issuedKeyJson(issued),
        lines: [
          `This is key ${issued.id} of account "${issued.accountName}".`,
          `It replaces key ${old.id}, which ${overlap === 0 ? 'stopped working now' : `works until ${formatSecond(old.expiresAt)}`}.`,
        ],
      })
    })

  key
    .command('revoke')
    .description('Permanently revoke a key: its next call is refused.')
    .argument('<key-id>', KEY_ID)
    .option(...YES)
    .option('--json', 'print the key as JSON')
    .addHelpText('after', REVOKE_HELP)
    .action(async (keyId: string, { yes, json }: YesOption & JsonOption) => {
      await confirm(yes, async () => {
        const key = await findWorkingKey(keyId)
        return key && `${describe(key)} would stop working forever. Revoke it?`
      })
      const revoked = await withAdminContext(context => revokeKey(context, keyId))
      print(json, keyJson(revoked, Date.now()), `Key ${revoked.id} of account "${revoked.accountName}" is revoked.`)
    })
}

/** Undefined if the key does not work anyway: the command then says why nothing can be done. */
async function findWorkingKey(keyId: string): Promise<ApiKey | undefined> {
  const key = await withStore(store => findKey(store, keyId))
  return secretState(key, Date.now()) === 'active' ? key : undefined
}

function describe({ id, name, hint, accountName }: ApiKey): string {
  return `Key ${id}${name === undefined ? '' : ` "${name}"`} of account "${accountName}", which ends in ${hint},`
}

const CREATE_HELP = `
${EXPIRY_HELP}

Examples:
  $ petstore key create acme
  $ petstore key create acme --name laptop --expires 90d
  $ petstore key create 1 --expires 2030-12-31T18:00+01:00 --json`

const LIST_HELP = `
The keys themselves are not stored; ENDS IN shows the last characters of each.
LAST USED lags a few seconds behind. All times are UTC. --json also shows when
each key was created and revoked.
${PAGES_HELP}

Examples:
  $ petstore key list
  $ petstore key list acme --state active
  $ petstore key list --after 100 --limit 100 --json`

const ROTATE_HELP = `
While both keys work, move every client to the new one. The overlap never
extends the life of the old key. With --overlap 0 it stops working at once.

Examples:
  $ petstore key rotate 3
  $ petstore key rotate 3 --overlap 12h
  $ petstore key rotate 3 --overlap 0 --yes --json`

const REVOKE_HELP = `
A revoked key cannot be restored. To replace a key without downtime, use
petstore key rotate instead.

Examples:
  $ petstore key revoke 3
  $ petstore key revoke 3 --yes --json`
