import type { Command } from 'commander'
import { revokeToken } from '../domain/administration/tokens.ts'
import { tokenView } from '../views.ts'
import { printJson } from './json.ts'
import { printText } from './text.ts'
import { withActing } from './with-store.ts'

export function addTokenRevoke(token: Command): void {
  token
    .command('revoke')
    .description('Revoke an operator token for good: its next call is refused.')
    .argument('<token-id>', 'id of the token, as token list shows it')
    .option('--json', 'print the token as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (tokenId: string, { json }: { json?: true }) => {
      const revoked = await withActing(acting => revokeToken(acting, tokenId))
      if (json) return printJson(tokenView(revoked, Date.now()))
      printText(`Token ${revoked.id} of "${revoked.name}" is revoked.`)
    })
}

const EXAMPLES = `
A revoked token cannot be brought back. Whoever has signed in with it is signed
out.

Examples:
  $ petstore token revoke 2
  $ petstore token revoke 2 --json`
