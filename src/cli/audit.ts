import { type Command, Option } from 'commander'
import { findPastAccount } from '../domain/administration/usage.ts'
import { AUDIT_ACTIONS, type AuditAction, type AuditEntry } from '../domain/audit.ts'
import { auditEntryJson } from '../schema/operator-json.ts'
import { parseInteger, parseLimit } from './arguments.ts'
import { type JsonOption, printList } from './output/print.ts'
import { formatMinute } from './output/text.ts'
import { withStore } from './with-store.ts'

const DEFAULT_LIMIT = 20

interface Options extends JsonOption {
  account?: string
  action?: AuditAction
  before?: bigint
  limit: number
}

export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('Show what operators did, newest first.')
    .option('--account <account>', 'only entries about this account (name or id)')
    .addOption(new Option('--action <action>', 'only this kind of action').choices(AUDIT_ACTIONS))
    .option('--before <id>', 'only entries older than this one', parseInteger)
    .option('--limit <n>', 'maximum number of entries, up to 1,000', parseLimit, DEFAULT_LIMIT)
    .option('--json', 'print a JSON array of entries')
    .addHelpText('after', HELP)
    .action(async ({ account, action, before, limit, json }: Options) => {
      // One more than asked for shows whether there are more.
      const entries = await withStore(async store => {
        const accountId = account === undefined ? undefined : (await findPastAccount(store, account)).id
        return store.listAudit({ accountId, action, beforeId: before, limit: limit + 1 })
      })
      const page = entries.slice(0, limit)
      printList(json, page, {
        toJson: auditEntryJson,
        columns: {
          ID: one => one.id,
          TIME: one => formatMinute(one.at),
          WHO: one => one.actor,
          FROM: one => one.origin,
          ACTION: one => one.action,
          SUBJECT: one => one.subjectId ?? '-',
          DETAILS: formatDetails,
        },
        whenEmpty: 'There are no such entries.',
        hint: entries.length > limit ? `There are more: add --before ${page.at(-1)?.id} to see older ones.` : undefined,
      })
    })
}

function formatDetails({ details }: AuditEntry): string {
  const named = Object.entries(details).map(([name, value]) => `${name}: ${value}`)
  return named.join(', ') || '-'
}

const HELP = `
WHO is the user of the command line, or the name of the operator token. SUBJECT
is the id of what the action changed, such as the key of key.revoke. Times are
UTC.

Examples:
  $ petstore audit
  $ petstore audit --account acme --action key.revoke
  $ petstore audit --before 120 --limit 100 --json`
