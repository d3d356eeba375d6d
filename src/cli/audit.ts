import { type Command, Option } from 'commander'
import { findPastAccount } from '../domain/administration/usage.ts'
import { AUDIT_ACTIONS, type AuditAction, type AuditEntry } from '../domain/audit.ts'
import { auditView } from '../views.ts'
import { parseInteger, parseLimit } from './arguments.ts'
import { printJson } from './json.ts'
import { formatMinute, printTable, printText } from './text.ts'
import { withStore } from './with-store.ts'

const DEFAULT_LIMIT = 20
const HEADINGS = ['ID', 'TIME', 'WHO', 'FROM', 'ACTION', 'SUBJECT', 'DETAILS']

interface Options {
  account?: string
  action?: AuditAction
  before?: bigint
  limit: number
  json?: true
}

export function addAudit(program: Command): void {
  program
    .command('audit')
    .description('Show what operators did, newest first.')
    .option('--account <account>', 'only what concerned this account (name or id)')
    .addOption(new Option('--action <action>', 'only deeds of this kind').choices(AUDIT_ACTIONS))
    .option('--before <id>', 'only what is older than this entry', parseInteger)
    .option('--limit <n>', 'how many at most, up to 1000', parseLimit, DEFAULT_LIMIT)
    .option('--json', 'print a JSON array of entries')
    .addHelpText('after', EXAMPLES)
    .action(async ({ account, action, before, limit, json }: Options) => {
      // One more than wanted shows whether there are more.
      const entries = await withStore(async store => {
        const accountId = account === undefined ? undefined : (await findPastAccount(store, account)).id
        return store.listAudit({ accountId, action, beforeId: before, limit: limit + 1 })
      })
      const page = entries.slice(0, limit)
      if (json) return printJson(page.map(auditView))
      if (page.length === 0) return printText('There is no such entry.')
      printTable(HEADINGS, page.map(auditRow))
      if (entries.length > limit) printText('', `There are more: add --before ${page.at(-1)?.id} to see older ones.`)
    })
}

function auditRow({ id, at, actor, origin, action, subjectId, details }: AuditEntry) {
  const described = Object.entries(details).map(([name, value]) => `${name}: ${value}`)
  return [id, formatMinute(at), actor, origin, action, subjectId ?? '-', described.join(', ') || '-']
}

const EXAMPLES = `
WHO is the user of the command line, or the name of the operator token. SUBJECT
is the id of what was acted on, such as the key of key.revoke. Times are UTC.

Examples:
  $ petstore audit
  $ petstore audit --account acme --action key.revoke
  $ petstore audit --before 120 --limit 100 --json`
