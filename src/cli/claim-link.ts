import { Option } from 'commander'
import { COMMAND } from '../app/command-name.ts'
import type { Config } from '../app/config.ts'
import { publicBaseUrl, publicUrlSetting } from '../app/public-address.ts'
import { SETTINGS } from '../app/settings.ts'
import {
  createClaimLink,
  findClaimLink,
  listClaimLinks,
  revokeClaimLink,
} from '../domain/administration/claim-links.ts'
import {
  CLAIM_LINK_STATES,
  type ClaimLink,
  type ClaimLinkState,
  claimLinkState,
  MAX_CLAIM_LINK_SECONDS,
  MIN_CLAIM_LINK_SECONDS,
} from '../domain/claim-link.ts'
import { claimAddress } from '../schema/claim-address.ts'
import { claimLinkJson, issuedClaimLinkJson } from '../schema/responses/keys.ts'
import { EXPIRY_HELP, lengthFromTo, parseExpiry } from './arguments.ts'
import type { Command } from './command.ts'
import { confirm, YES, type YesOption } from './confirm.ts'
import { ACCESS_HELP, type AccessOptions, ANYWHERE, addAccessOptions, describeAccess } from './key-access.ts'
import { type JsonOption, print, printSecret } from './output/print.ts'
import { formatFields } from './output/table.ts'
import { formatMinute, formatSecond } from './output/text.ts'
import { addPageOptions, PAGES_HELP, type PageOptions, showPage } from './pages.ts'
import { withAdminContext, withStore } from './with-store.ts'

const ACCOUNT = 'name or id of the account'
const LINK_ID = 'id of the link, as shown by claim-link list'

interface CreateOptions extends AccessOptions, JsonOption {
  name?: string
  expires?: number
  validFor?: number
}

interface ListOptions extends PageOptions {
  state?: ClaimLinkState
}

export function addClaimLinkCommands(program: Command): void {
  const link = program.newCommand('claim-link', 'Links that let partners claim an API key on a web page.')

  const create = link
    .newCommand('create', 'Create a link for claiming one key. The link is shown only once.')
    .argument('<account>', ACCOUNT)
    .option('--name <name>', 'label of the key, to tell keys apart')
    .option('--expires <when>', 'when the key stops working (default: never)', parseExpiry)
    .option(
      '--valid-for <time>',
      `how long the link works, in seconds, or as 12h or 7d (default: ${SETTINGS.claimLinkSeconds.name})`,
      lengthFromTo(MIN_CLAIM_LINK_SECONDS, MAX_CLAIM_LINK_SECONDS, 'from one minute to 30 days'),
    )
  addAccessOptions(create, { scope: 'read-write', networks: 'any' })
    .json('print the link as JSON', CREATE_HELP)
    .action(async (account: string, { name, expires, validFor, scope, networks, json }: CreateOptions) => {
      const { issued, config, baseUrl } = await withAdminContext(async (context, config) => {
        const baseUrl = publicBaseUrl(config)
        const validForSeconds = validFor ?? config.claimLinkSeconds
        const terms = { name, scope, networks: networks === ANYWHERE ? undefined : networks, expiresAt: expires }
        return { issued: await createClaimLink(context, { account, terms, validForSeconds }), config, baseUrl }
      })
      await printSecret(json, {
        name: `Claim link ${issued.id}`,
        secret: claimAddress(baseUrl, issued.secret),
        document: issuedClaimLinkJson(issued, baseUrl),
        lines: [
          `This is claim link ${issued.id} for a key of account "${issued.accountName}".`,
          `The link works once, until ${formatSecond(issued.expiresAt)}.`,
          ...describeAccess('The key', issued.terms),
          ...warnOfAddress(config),
        ],
      })
    })

  link
    .newCommand('show', 'Show one link, without its secret.')
    .argument('<link-id>', LINK_ID)
    .json('print the link as JSON', SHOW_HELP)
    .action(async (linkId: string, { json }: JsonOption) => {
      const now = Date.now()
      const found = await withStore(store => findClaimLink(store, linkId))
      print(json, claimLinkJson(found, now), formatFields(fieldsOfLink(found, now)))
    })

  const list = link
    .newCommand('list', 'List the links of one account, or of all, newest first.')
    .argument('[account]', ACCOUNT)
    .addOption(new Option('--state <state>', 'only links in this state').choices(CLAIM_LINK_STATES))
  addPageOptions(list, 'before', 'links')
    .json('print a JSON array of links', LIST_HELP)
    .action(async (account: string | undefined, { state, ...options }: ListOptions) => {
      const now = Date.now()
      const conditions = { state: state && { is: state, at: now } }
      await showPage(options, 'before', (store, page) => listClaimLinks(store, account, { ...conditions, ...page }), {
        toJson: one => claimLinkJson(one, now),
        columns: {
          ID: one => one.id,
          ACCOUNT: one => one.accountName,
          NAME: one => one.terms.name ?? '-',
          STATE: one => claimLinkState(one, now),
          'LINK EXPIRES': one => formatMinute(one.expiresAt),
          CLAIMED: one => formatMinute(one.claimedAt),
          FROM: one => one.claimedFrom ?? '-',
          KEY: one => one.keyId ?? '-',
        },
        whenEmpty:
          state !== undefined || options.before !== undefined
            ? 'No claim link matches.'
            : `There are no claim links yet; create one with ${COMMAND} claim-link create.`,
      })
    })

  link
    .newCommand('revoke', 'Permanently revoke a link that has not been used.')
    .argument('<link-id>', LINK_ID)
    .option(...YES)
    .json('print the link as JSON', REVOKE_HELP)
    .action(async (linkId: string, { yes, json }: YesOption & JsonOption) => {
      await confirm(yes, async () => {
        const found = await withStore(store => findClaimLink(store, linkId))
        if (claimLinkState(found, Date.now()) !== 'open') return undefined
        return `Claim link ${found.id} of account "${found.accountName}" would stop working forever. Revoke it?`
      })
      const revoked = await withAdminContext(context => revokeClaimLink(context, linkId))
      const what = `Claim link ${revoked.id} of account "${revoked.accountName}"`
      print(json, claimLinkJson(revoked, Date.now()), `${what} is revoked.`)
    })
}

export function fieldsOfLink(link: ClaimLink, now: number): Record<string, string> {
  const { name, scope, networks, expiresAt } = link.terms
  return {
    'Claim link': String(link.id),
    Account: `${link.accountId} "${link.accountName}"`,
    State: claimLinkState(link, now),
    Created: formatMinute(link.createdAt),
    Expires: formatMinute(link.expiresAt),
    Revoked: formatMinute(link.revokedAt),
    Claimed: link.claimedFrom === undefined ? '-' : `${formatMinute(link.claimedAt)} from ${link.claimedFrom}`,
    Key: link.keyId === undefined ? '-' : String(link.keyId),
    'Key name': name ?? '-',
    'Key scope': scope,
    'Key networks': networks?.join(', ') ?? 'any',
    'Key expires': formatMinute(expiresAt),
  }
}

/** Partners cannot reach a local address. */
function warnOfAddress({ publicUrls, deployment }: Config): string[] {
  if (publicUrls[deployment] !== undefined) return []
  return [`The link has the address of this machine; set ${publicUrlSetting(deployment).name} to the public address.`]
}

const CREATE_HELP = `
Send the link to the person who needs the key. Its page has a button that issues
the key and shows it; after that, the link no longer works. Link previews only
open the page, so they do not use up the link.

${ACCESS_HELP}

${EXPIRY_HELP}

Examples:
  $ petstore claim-link create acme
  $ petstore claim-link create acme --name laptop --expires 90d
  $ petstore claim-link create acme --scope read --networks 192.0.2.0/24
  $ petstore claim-link create acme --valid-for 2h --json`

const SHOW_HELP = `
Claimed shows when and from which address the key was claimed; Key is its id.
All times are UTC.

Examples:
  $ petstore claim-link show 3
  $ petstore claim-link show 3 --json`

const LIST_HELP = `
STATE is open, claimed, expired or revoked. CLAIMED and FROM show when the key
was claimed and from which address; KEY is its id. All times are UTC.
${PAGES_HELP}

Examples:
  $ petstore claim-link list
  $ petstore claim-link list acme --state open
  $ petstore claim-link list --before 100 --limit 100 --json`

const REVOKE_HELP = `
Once a link has been used, revoke its key instead: petstore key revoke.

Examples:
  $ petstore claim-link revoke 3
  $ petstore claim-link revoke 3 --yes --json`
