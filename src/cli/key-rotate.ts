import type { Command } from 'commander'
import { rotateKey } from '../domain/administration/keys.ts'
import { issuedKeyView } from '../views.ts'
import { parseSeconds } from './arguments.ts'
import { formatJson } from './json.ts'
import { mustBeSeen } from './output.ts'
import { formatText, formatTime } from './text.ts'
import { withActing } from './with-store.ts'

const DAY_SECONDS = 86_400

export function addKeyRotate(key: Command): void {
  key
    .command('rotate')
    .description('Issue a successor of a key, with the same name and expiry.')
    .argument('<key-id>', 'id of the key, as key list shows it')
    .option('--overlap <seconds>', 'how long the old key goes on working', parseSeconds, DAY_SECONDS)
    .option('--json', 'print the new key as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (keyId: string, { overlap, json }: { overlap: number; json?: true }) => {
      const { issued, old } = await withActing(acting => rotateKey(acting, { keyId, overlapSeconds: overlap }))
      const unseen = `Key ${issued.id} was created, but could not be shown; revoke it.`
      if (json) return mustBeSeen(unseen, formatJson(issuedKeyView(issued)))
      const text = formatText(
        issued.key,
        '',
        `This is key ${issued.id} of account "${issued.accountName}". It is shown only once: keep it now.`,
        `Key ${old.id}, which it replaces, works until ${formatTime(old.expiresAt)}.`,
      )
      return mustBeSeen(unseen, text)
    })
}

const EXAMPLES = `
While both keys work, give the new one to every client. The old key never works
longer than it would have anyway. With --overlap 0 it stops at once.

Examples:
  $ petstore key rotate 3
  $ petstore key rotate 3 --overlap 3600
  $ petstore key rotate 3 --overlap 0 --json`
