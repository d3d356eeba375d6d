import type { Command } from 'commander'
import { createToken } from '../domain/administration/tokens.ts'
import { parseRole, type Role } from '../domain/operator.ts'
import { issuedTokenView } from '../views.ts'
import { parseTime } from './arguments.ts'
import { formatJson } from './json.ts'
import { mustBeSeen } from './output.ts'
import { formatText, formatTime } from './text.ts'
import { withActing } from './with-store.ts'

export function addTokenCreate(token: Command): void {
  token
    .command('create')
    .description('Create an operator token. It is shown this once and never again.')
    .argument('<name>', 'whose it is; stands in the audit log for what is done with it')
    .requiredOption('--role <role>', 'staff or admin (required)', parseRole)
    .option('--expires <date>', 'when it stops working (default: never)', parseTime)
    .option('--json', 'print the token as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, options: { role: Role; expires?: number; json?: true }) => {
      const wish = { name, role: options.role, expiresAt: options.expires }
      const issued = await withActing(acting => createToken(acting, wish))
      const unseen = `Token ${issued.id} was created, but could not be shown; revoke it.`
      if (options.json) return mustBeSeen(unseen, formatJson(issuedTokenView(issued)))
      const expiry = issued.expiresAt === undefined ? '' : ` It works until ${formatTime(issued.expiresAt)}.`
      const text = formatText(
        issued.token,
        '',
        `This is token ${issued.id} of "${issued.name}", with the role ${issued.role}.${expiry}`,
        'It is shown only once: keep it now.',
      )
      return mustBeSeen(unseen, text)
    })
}

const EXAMPLES = `
staff may work with animals and see everything; admin may do all. A date alone
means its first moment in UTC; a time needs a zone.

Examples:
  $ petstore token create Anna --role admin
  $ petstore token create "Front desk" --role staff --expires 2030-12-31
  $ petstore token create Anna --role admin --json`
