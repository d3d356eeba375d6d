import type { Command } from 'commander'
import { issueKey } from '../domain/administration/keys.ts'
import { issuedKeyView } from '../views.ts'
import { parseTime } from './arguments.ts'
import { formatJson } from './json.ts'
import { mustBeSeen } from './output.ts'
import { formatText, formatTime } from './text.ts'
import { withActing } from './with-store.ts'

export function addKeyCreate(key: Command): void {
  key
    .command('create')
    .description('Issue a new API key. It is shown this once and never again.')
    .argument('<account>', 'name or id of the account')
    .option('--name <name>', 'what the key is for, to tell keys apart')
    .option('--expires <date>', 'when it stops working (default: never)', parseTime)
    .option('--json', 'print the key as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (account: string, options: { name?: string; expires?: number; json?: true }) => {
      const wish = { account, name: options.name, expiresAt: options.expires }
      const issued = await withActing(acting => issueKey(acting, wish))
      const unseen = `Key ${issued.id} was created, but could not be shown; revoke it.`
      if (options.json) return mustBeSeen(unseen, formatJson(issuedKeyView(issued)))
      const expiry = issued.expiresAt === undefined ? '' : ` It works until ${formatTime(issued.expiresAt)}.`
      const text = formatText(
        issued.key,
        '',
        `This is key ${issued.id} of account "${issued.accountName}".${expiry}`,
        'It is shown only once: keep it now.',
      )
      return mustBeSeen(unseen, text)
    })
}

const EXAMPLES = `
A date alone means its first moment in UTC; a time needs a zone.

Examples:
  $ petstore key create acme
  $ petstore key create acme --name laptop --expires 2030-12-31
  $ petstore key create 1 --expires 2030-12-31T18:00+01:00 --json`
