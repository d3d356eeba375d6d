import { Option } from 'commander'
import { COMMAND } from '../app/command-name.ts'
import {
  changeKey,
  DEFAULT_OVERLAP_SECONDS,
  findKey,
  type IssuedKey,
  issueKey,
  listKeys,
  MAX_OVERLAP_SECONDS,
  revokeKey,
  rotateKey,
} from '../domain/administration/keys.ts'
import { type ApiKey, KEY_STATES, type KeyState } from '../domain/api-key.ts'
import { invalid } from '../domain/errors.ts'
import { parseSearchText } from '../domain/search-text.ts'
import { secretState } from '../domain/secret.ts'
import type { KeyQuery } from '../domain/store/accounts.ts'
import { issuedKeyJson, keyJson } from '../schema/responses/keys.ts'
import { EXPIRY_HELP, lengthFromTo, parseExpiry, parsePast } from './arguments.ts'
import type { Command } from './command.ts'
import { confirm, YES, type YesOption } from './confirm.ts'
import { ACCESS_HELP, type AccessOptions, ANYWHERE, addAccessOptions, describeAccess } from './key-access.ts'
import { addFindCommand } from './key-find.ts'
import { addRefusalsCommand } from './key-refusals.ts'
import { fieldsOfKey, keyColumns } from './output/access-columns.ts'
import { type JsonOption, print, printSecret } from './output/print.ts'
import { formatFields } from './output/table.ts'
import { formatSecond } from './output/text.ts'
import { addPageOptions, PAGES_HELP, type PageOptions, showPage } from './pages.ts'
import { withAdminContext, withStore } from './with-store.ts'

const ACCOUNT = 'name or id of the account'
const KEY_ID = 'id of the key, as shown by key list'

export function addKeyCommands(program: Command): void {
  const key = program.newCommand('key', 'API keys: the credentials of an account.')

  const create = key
    .newCommand('create', 'Create an API key. It is shown only once.')
    .argument('<account>', ACCOUNT)
    .option('--name <name>', 'label to tell keys apart')
    .option('--expires <when>', 'when it stops working (default: never)', parseExpiry)
  addAccessOptions(create, { scope: 'read-write', networks: 'any' })
    .json('print the key as JSON', CREATE_HELP)
    .action(async (account: string, { name, expires, scope, networks, json }: CreateOptions) => {
      const terms = { name, scope, networks: networks === ANYWHERE ? undefined : networks, expiresAt: expires }
      const issued = await withAdminContext(context => issueKey(context, { account, ...terms }))
      const expiry = issued.expiresAt === undefined ? '' : ` It works until ${formatSecond(issued.expiresAt)}.`
      await printKey(json, issued, expiry, describeAccess('It', issued))
    })

  key
    .newCommand('show', 'Show one key, without its secret.')
    .argument('<key-id>', KEY_ID)
    .json('print the key as JSON', SHOW_HELP)
    .action(async (keyId: string, { json }: JsonOption) => {
      const now = Date.now()
      const found = await withStore(store => findKey(store, keyId))
      print(json, keyJson(found, now), formatFields(fieldsOfKey(found, now)))
    })

  const change = key
    .newCommand('change', 'Change the name, scope or networks of a key.')
    .argument('<key-id>', KEY_ID)
    .option('--name <name>', 'its new name')
    .option('--no-name', 'remove its name')
  addAccessOptions(change)
    .json('print the key as JSON', CHANGE_HELP)
    .action(async (keyId: string, { name: given, scope, networks, json }: ChangeOptions) => {
      const name = given === false ? null : given
      if (name === undefined && scope === undefined && networks === undefined) {
        throw invalid('Nothing to change: add --name, --no-name, --scope or --networks.')
      }
      const change = { name, scope, networks: networks === ANYWHERE ? null : networks }
      const changed = await withAdminContext(context => changeKey(context, keyId, change))
      const now = Date.now()
      print(json, keyJson(changed, now), `Key ${changed.id} is now:`, formatFields(fieldsOfKey(changed, now)))
    })

  const list = key
    .newCommand('list', 'List the keys of one account, or of all, oldest first.')
    .argument('[account]', ACCOUNT)
    .addOption(new Option('--state <state>', 'only keys in this state').choices(KEY_STATES))
    .option('--search <text>', 'only keys whose name contains this text, or that end in it', parseSearchText)
    .option('--unused-since <when>', 'only keys not used since then', parsePast)
    .option('--never-used', 'only keys that have never been used')
    .option('--expires-before <when>', 'only keys that expire before then, or have expired', parseExpiry)
  addPageOptions(list, 'after', 'keys')
    .json('print a JSON array of keys', LIST_HELP)
    .action(async (account: string | undefined, options: PageOptions & KeyFilter) => {
      const now = Date.now()
      const filter = filterOf(options, now)
      const isFiltered = [options.after, ...Object.values(filter)].some(one => one !== undefined)
      await showPage(options, 'after', (store, page) => listKeys(store, account, { ...filter, ...page }), {
        toJson: one => keyJson(one, now),
        columns: keyColumns(now),
        whenEmpty: isFiltered ? 'No key matches.' : `There are no keys yet; create one with ${COMMAND} key create.`,
      })
    })

  addRefusalsCommand(key, KEY_ID)
  addFindCommand(key)

  key
    .newCommand('rotate', 'Replace a key with a new one of the same name, scope, networks and expiry.')
    .argument('<key-id>', KEY_ID)
    .addOption(
      new Option('--overlap <time>', 'how long the old key keeps working, in seconds, or as 12h or 7d')
        .argParser(lengthFromTo(0, MAX_OVERLAP_SECONDS, 'up to one year'))
        .default(DEFAULT_OVERLAP_SECONDS, 'a day'),
    )
    .option(...YES)
    .json('print the new key as JSON', ROTATE_HELP)
    .action(async (keyId: string, { overlap, yes, json }: { overlap: number } & YesOption & JsonOption) => {
      if (overlap === 0) {
        await confirm(yes, async () => {
          const key = await findWorkingKey(keyId)
          return key && `${describe(key)} would stop working immediately. Rotate it without an overlap?`
        })
      }
      const { issued, old } = await withAdminContext(context => rotateKey(context, { keyId, overlapSeconds: overlap }))
      const end = overlap === 0 ? 'stopped working now' : `works until ${formatSecond(old.expiresAt)}`
      await printKey(json, issued, '', [`It replaces key ${old.id}, which ${end}.`])
    })

  key
    .newCommand('revoke', 'Permanently revoke a key: its next call is refused.')
    .argument('<key-id>', KEY_ID)
    .option(...YES)
    .json('print the key as JSON', REVOKE_HELP)
    .action(async (keyId: string, { yes, json }: YesOption & JsonOption) => {
      await confirm(yes, async () => {
        const key = await findWorkingKey(keyId)
        return key && `${describe(key)} would stop working forever. Revoke it?`
      })
      const revoked = await withAdminContext(context => revokeKey(context, keyId))
      print(json, keyJson(revoked, Date.now()), `Key ${revoked.id} of account "${revoked.accountName}" is revoked.`)
    })
}

interface KeyFilter {
  state?: KeyState
  search?: string
  unusedSince?: number
  neverUsed?: true
  expiresBefore?: number
}

function filterOf({ state, search, unusedSince, neverUsed, expiresBefore }: KeyFilter, now: number) {
  const used = neverUsed ? false : undefined
  return { state: state && { is: state, at: now }, search, unusedSince, used, expiresBefore } satisfies KeyQuery
}

interface CreateOptions extends AccessOptions, JsonOption {
  name?: string
  expires?: number
}

interface ChangeOptions extends AccessOptions, JsonOption {
  /** False: none. */
  name?: string | false
}

function printKey(json: true | undefined, issued: IssuedKey, expiry: string, more: string[]): Promise<void> {
  return printSecret(json, {
    name: `Key ${issued.id}`,
    secret: issued.key,
    document: issuedKeyJson(issued),
    lines: [`This is key ${issued.id} of account "${issued.accountName}".${expiry}`, ...more],
  })
}

/** Returns undefined for a key that no longer works: the command itself then reports why it cannot be changed. */
async function findWorkingKey(keyId: string): Promise<ApiKey | undefined> {
  const key = await withStore(store => findKey(store, keyId))
  return secretState(key, Date.now()) === 'active' ? key : undefined
}

function describe({ id, name, hint, accountName }: ApiKey): string {
  return `Key ${id}${name === undefined ? '' : ` "${name}"`} of account "${accountName}" (ends in ${hint})`
}

const CREATE_HELP = `
${EXPIRY_HELP}

${ACCESS_HELP}

Examples:
  $ petstore key create acme
  $ petstore key create acme --name laptop --expires 90d
  $ petstore key create acme --scope read --networks 192.0.2.0/24,2001:db8::/32
  $ petstore key create 1 --expires 2030-12-31T18:00+01:00 --json`

const SHOW_HELP = `
Examples:
  $ petstore key show 3
  $ petstore key show 3 --json`

const CHANGE_HELP = `
${ACCESS_HELP}
Changes apply from the next call. Only active keys can be changed; the expiry
cannot be changed.

Examples:
  $ petstore key change 3 --scope read
  $ petstore key change 3 --name till --networks 192.0.2.7,198.51.100.0/24
  $ petstore key change 3 --no-name --networks any --json`

const LIST_HELP = `
The keys themselves are not stored; ENDS IN shows the last characters of each.
LAST USED lags a few seconds behind, and goes as far back as usage is kept. All
times are UTC. A banned key is still active: --state active includes it. --json
also shows when each key was created and revoked, and when its ban ends.

--unused-since takes a length of time (90d is 90 days ago) or a date, and leaves
out keys that are newer than that. --expires-before 30d means within 30 days.
${PAGES_HELP}

Examples:
  $ petstore key list
  $ petstore key list acme --state active
  $ petstore key list --state active --unused-since 90d
  $ petstore key list --state active --expires-before 30d
  $ petstore key list --search x7Qk
  $ petstore key list --after 100 --limit 100 --json`

const ROTATE_HELP = `
While both keys work, move every client to the new one. The overlap never
extends the life of the old key. With --overlap 0, it stops working immediately.

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
