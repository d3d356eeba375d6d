import type { Command } from 'commander'
import { revokeKey } from '../domain/administration/keys.ts'
import { keyView } from '../views.ts'
import { printJson } from './json.ts'
import { printText } from './text.ts'
import { withActing } from './with-store.ts'

export function addKeyRevoke(key: Command): void {
  key
    .command('revoke')
    .description('Revoke a key for good: its next call is refused.')
    .argument('<key-id>', 'id of the key, as key list shows it')
    .option('--json', 'print the key as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (keyId: string, { json }: { json?: true }) => {
      const revoked = await withActing(acting => revokeKey(acting, keyId))
      if (json) return printJson(keyView(revoked, Date.now()))
      printText(`Key ${revoked.id} of account "${revoked.accountName}" is revoked.`)
    })
}

const EXAMPLES = `
A revoked key cannot be brought back. To exchange a key without a gap, use
petstore key rotate.

Examples:
  $ petstore key revoke 3
  $ petstore key revoke 3 --json`
