import type { Command } from 'commander'
import { issueKey } from '../domain/administration/keys.ts'
import { issuedKeyView } from '../views.ts'
import { parseTime } from './arguments.ts'
import { printJson } from './json.ts'
import { formatTime, printText } from './text.ts'
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
      if (options.json) return printJson(issuedKeyView(issued))
      const expiry = issued.expiresAt === undefined ? '' : ` It works until ${formatTime(issued.expiresAt)}.`
      printText(
        issued.key,
        '',
        `This is key ${issued.id} of account "${issued.accountName}".${expiry}`,
        'It is shown only once: keep it now.',
      )
    })
}

const EXAMPLES = `
A date alone means its first moment in UTC; a time needs a zone.

Examples:
  $ petstore key create acme
  $ petstore key create acme --name laptop --expires 2030-12-31
  $ petstore key create 1 --expires 2030-12-31T18:00+01:00 --json`
