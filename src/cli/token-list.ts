import type { Command } from 'commander'
import { COMMAND } from '../command-name.ts'
import { tokenState, tokenView } from '../views.ts'
import { printJson } from './json.ts'
import { formatMinute, printTable, printText } from './text.ts'
import { withStore } from './with-store.ts'

const HEADINGS = ['ID', 'NAME', 'ROLE', 'ENDS IN', 'STATE', 'CREATED', 'EXPIRES']

export function addTokenList(token: Command): void {
  token
    .command('list')
    .description('List all operator tokens, oldest first.')
    .option('--json', 'print a JSON array of tokens')
    .addHelpText('after', EXAMPLES)
    .action(async ({ json }: { json?: true }) => {
      const now = Date.now()
      const tokens = await withStore(store => store.listTokens())
      if (json) return printJson(tokens.map(one => tokenView(one, now)))
      if (tokens.length === 0)
        return printText(`There is no operator token yet; make one with ${COMMAND} token create.`)
      const rows = tokens.map(one => [
        one.id,
        one.name,
        one.role,
        one.hint,
        tokenState(one, now),
        formatMinute(one.createdAt),
        formatMinute(one.expiresAt),
      ])
      printTable(HEADINGS, rows)
    })
}

const EXAMPLES = `
The tokens themselves are not stored; ENDS IN shows the last characters of each.
STATE is active, expired or revoked; all times are UTC. When a token was
revoked, --json tells.

Examples:
  $ petstore token list
  $ petstore token list --json`
