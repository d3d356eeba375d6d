import type { Command } from 'commander'
import { liftBan } from '../domain/administration/bans.ts'
import { banView, optionalTime } from '../views.ts'
import { printJson } from './json.ts'
import { printText } from './text.ts'
import { withActing } from './with-store.ts'

export function addBanLift(bans: Command): void {
  bans
    .command('lift')
    .description('End the ban of a key at once.')
    .argument('<key-id>', 'id of the key, as ban list shows it')
    .option('--json', 'print the ban as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (keyId: string, { json }: { json?: true }) => {
      const { ban, key } = await withActing(acting => liftBan(acting, keyId))
      if (json) return printJson({ ...banView({ ban, key }), liftedAt: optionalTime(ban.liftedAt) })
      printText(`Key ${key.id} of account "${key.accountName}" is no longer banned.`)
    })
}

const EXAMPLES = `
The ban still counts when the length of the key's next one is measured.

Examples:
  $ petstore ban lift 3
  $ petstore ban lift 3 --json`
