import type { Command } from 'commander'
import { revokeKey } from '../domain/administration.ts'
import { keyJson, printJson } from './json.ts'
import { printText } from './text.ts'
import { withStore } from './with-store.ts'

export function addKeyRevoke(key: Command): void {
  key
    .command('revoke')
    .description('Revoke a key for good: its next call is refused.')
    .argument('<key-id>', 'id of the key, as key list shows it')
    .option('--json', 'print the key as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (keyId: string, { json }: { json?: true }) => {
      const now = Date.now()
      const revoked = await withStore(store => revokeKey(store, keyId, now))
      if (json) return printJson(keyJson(revoked, now))
      printText(`Key ${revoked.id} of account "${revoked.accountName}" is revoked.`)
    })
}

const EXAMPLES = `
A revoked key cannot be brought back. To exchange a key without a gap, use
petstore key rotate.

Examples:
  $ petstore key revoke 3
  $ petstore key revoke 3 --json`
