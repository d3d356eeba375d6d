import { Option } from 'commander'
import { COMMAND } from '../app/command-name.ts'
import { createToken, findToken, revokeToken } from '../domain/administration/tokens.ts'
import { invalid } from '../domain/errors.ts'
import { type OperatorToken, parseRole, type Role } from '../domain/operator.ts'
import { secretState } from '../domain/secret.ts'
import { issuedTokenJson, tokenJson } from '../schema/responses/operators.ts'
import { EXPIRY_HELP, parseExpiry } from './arguments.ts'
import type { Command } from './command.ts'
import { confirm, YES, type YesOption } from './confirm.ts'
import { type JsonOption, print, printList, printSecret } from './output/print.ts'
import { formatMinute, formatSecond } from './output/text.ts'
import { withAdminContext, withStore } from './with-store.ts'

export function addTokenCommands(program: Command): void {
  const token = program.newCommand('token', 'Operator tokens: the credentials of your colleagues.')

  token
    .newCommand('create', 'Create an operator token. It is shown only once.')
    .argument('<name>', 'name of its owner, as shown in the audit log')
    .addOption(new Option('--role <role>', 'staff or admin').argParser(parseRole))
    .addOption(new Option('--source <source>', 'only to send the file of this source').conflicts('role'))
    .option('--expires <when>', 'when it stops working (default: never)', parseExpiry)
    .json('print the token as JSON', CREATE_HELP)
    .action(async (name: string, { role, source, expires, json }: CreateOptions) => {
      if (!role && !source) throw invalid(`Add --role or --source; see "${COMMAND} token create --help".`)
      const issued = await withAdminContext(context => createToken(context, { name, role, source, expiresAt: expires }))
      const expiry = issued.expiresAt === undefined ? '' : ` It works until ${formatSecond(issued.expiresAt)}.`
      await printSecret(json, {
        name: `Token ${issued.id}`,
        secret: issued.token,
        document: issuedTokenJson(issued),
        lines: [`This is token ${issued.id} of "${issued.name}", ${describeRole(issued)}.${expiry}`],
      })
    })

  token
    .newCommand('list', 'List all operator tokens, oldest first.')
    .json('print a JSON array of tokens', LIST_HELP)
    .action(async ({ json }: JsonOption) => {
      const now = Date.now()
      printList(json, await withStore(store => store.listTokens()), {
        toJson: one => tokenJson(one, now),
        columns: {
          ID: one => one.id,
          NAME: one => one.name,
          ROLE: one => (one.source === undefined ? one.role : `${one.role} of ${one.source}`),
          'ENDS IN': one => one.hint,
          STATE: one => secretState(one, now),
          CREATED: one => formatMinute(one.createdAt),
          EXPIRES: one => formatMinute(one.expiresAt),
        },
        whenEmpty: `There are no operator tokens yet; create one with ${COMMAND} token create.`,
      })
    })

  token
    .newCommand('revoke', 'Permanently revoke an operator token: its next call is refused.')
    .argument('<token-id>', 'id of the token, as shown by token list')
    .option(...YES)
    .json('print the token as JSON', REVOKE_HELP)
    .action(async (tokenId: string, { yes, json }: YesOption & JsonOption) => {
      await confirm(yes, async () => {
        const { id, name, role, revokedAt } = await withStore(store => findToken(store, tokenId))
        if (revokedAt !== undefined) return undefined
        return `Token ${id} of "${name}" (${role}) would stop working forever. Revoke it?`
      })
      const revoked = await withAdminContext(context => revokeToken(context, tokenId))
      print(json, tokenJson(revoked, Date.now()), `Token ${revoked.id} of "${revoked.name}" is revoked.`)
    })
}

interface CreateOptions extends JsonOption {
  role?: Role
  source?: string
  expires?: number
}

function describeRole({ role, source }: OperatorToken): string {
  return source === undefined ? `with the role ${role}` : `only for the file of the source ${source}`
}

const CREATE_HELP = `
The role staff can manage animals and read everything except tokens; admin can
do everything. With --source instead, the token can only send the file of that
source, which must exist.
${EXPIRY_HELP}

Examples:
  $ petstore token create Anna --role admin
  $ petstore token create "Front desk" --role staff --expires 1y
  $ petstore token create "Shelter software" --source riverside
  $ petstore token create Anna --role admin --json`

const LIST_HELP = `
The tokens themselves are not stored; ENDS IN shows the last characters of each.
STATE is active, expired or revoked. All times are UTC. --json also shows when
each token was revoked.

Examples:
  $ petstore token list
  $ petstore token list --json`

const REVOKE_HELP = `
A revoked token cannot be restored. All its sessions end.

Examples:
  $ petstore token revoke 2
  $ petstore token revoke 2 --yes --json`
