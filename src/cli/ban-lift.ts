import type { Command } from 'commander'
import { liftBan } from '../domain/administration.ts'
import type { ApiKey } from '../domain/api-key.ts'
import { banJson, isoTime, printJson } from './json.ts'
import { printText } from './text.ts'
import { withStore } from './with-store.ts'

export function addBanLift(ban: Command): void {
  ban
    .command('lift')
    .description('End the ban of a key at once.')
    .argument('<key-id>', 'id of the key, as ban list shows it')
    .option('--json', 'print the ban as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (keyId: string, { json }: { json?: true }) => {
      const { lifted, key } = await withStore(async store => {
        const lifted = await liftBan(store, keyId, Date.now())
        return { lifted, key: (await store.findKey(lifted.keyId)) as ApiKey }
      })
      if (json) return printJson({ ...banJson(lifted, key), liftedAt: isoTime(lifted.liftedAt) })
      printText(`Key ${key.id} of account "${key.accountName}" is no longer banned.`)
    })
}

const EXAMPLES = `
The ban still counts when the length of the key's next one is measured.

Examples:
  $ petstore ban lift 3
  $ petstore ban lift 3 --json`
