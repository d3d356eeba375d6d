import { pipeline } from 'node:stream/promises'
import { InvalidArgumentError, Option } from 'commander'
import { parseAuditFilter, readAudit } from '../domain/administration/audit.ts'
import { findPastAccount } from '../domain/administration/usage.ts'
import {
  AUDIT_ACTIONS,
  AUDIT_KINDS,
  type AuditAction,
  type AuditKind,
  type AuditQuery,
  type ListedEntry,
  SUBJECT_KINDS,
  type SubjectKind,
  subjectKindOf,
} from '../domain/audit.ts'
import { parseInt64 } from '../domain/int64.ts'
import type { NewestPage } from '../domain/store/page.ts'
import type { Store } from '../domain/store.ts'
import { AUDIT_FILE_FORMATS, type AuditFileFormat, formatAuditFile } from '../schema/audit-file.ts'
import { auditEntryJson } from '../schema/responses/audit.ts'
import type { Command } from './command.ts'
import { formatFacts } from './output/facts.ts'
import { ignoreOutputErrors, type List } from './output/print.ts'
import { formatMinute } from './output/text.ts'
import { addPageOptions, type PageOptions, showPage } from './pages.ts'
import { withStore } from './with-store.ts'

const DEFAULT_LIMIT = 20

interface Options extends PageOptions {
  account?: string
  action?: AuditAction | AuditKind
  operator?: string
  subject?: Subject
  from?: string
  to?: string
  export?: AuditFileFormat
}

interface Subject {
  subjectKind: SubjectKind
  subjectId: bigint
}

export function addAuditCommand(program: Command): void {
  const audit = program
    .newCommand('audit', 'Show what operators did, newest first.')
    .option('--account <account>', 'only entries about this account (name or id)')
    .addOption(
      new Option('--action <action>', 'only this action, or all actions of this kind').choices([
        ...AUDIT_KINDS,
        ...AUDIT_ACTIONS,
      ]),
    )
    .option('--operator <name>', 'only actions by this operator (name, or id of a token)')
    .option('--subject <subject>', 'only actions on this subject, such as key:3', parseSubject)
    .option('--from <time>', 'first day, or a time')
    .option('--to <time>', 'last day, or a time (exclusive)')
  addPageOptions(audit, 'before', 'entries', DEFAULT_LIMIT)
    .option('--json', 'print a JSON array of entries')
    .addOption(
      new Option('--export <format>', 'print all matching entries as a file')
        .choices(AUDIT_FILE_FORMATS)
        .conflicts(['limit', 'json']),
    )
    .addHelpText('after', HELP)
    .action(async ({ account, action, subject, ...options }: Options) => {
      const typed = parseAuditFilter(options, parameter => `--${parameter}`)
      const filterIn = async (store: Store) => {
        const accountId = account === undefined ? undefined : (await findPastAccount(store, account)).id
        return { ...typed, ...subject, accountId, action }
      }
      const read = async (store: Store, page: NewestPage) => store.listAudit({ ...(await filterIn(store)), ...page })
      if (options.export) await printFile(options.export, filterIn, options.before)
      else await showPage(options, 'before', read, LIST)
    })
}

function parseSubject(text: string): Subject {
  const [, kind, idText = ''] = /^(.*):(.*)$/.exec(text) ?? []
  const subjectKind = SUBJECT_KINDS.find(one => one === kind)
  const subjectId = parseInt64(idText)
  if (subjectKind && subjectId !== undefined) return { subjectKind, subjectId }
  throw new InvalidArgumentError(`It must be one of ${SUBJECT_KINDS.join(', ')}, a colon and an id, such as key:3.`)
}

const LIST: List<ListedEntry> = {
  toJson: auditEntryJson,
  columns: {
    ID: one => one.id,
    TIME: one => formatMinute(one.at),
    WHO: one => one.actor,
    FROM: one => one.origin,
    ACTION: one => one.action,
    SUBJECT: formatSubject,
    DETAILS: one => formatFacts({ ...one, ...one.pet }),
  },
  whenEmpty: 'No entry matches.',
}

type Filter = Omit<AuditQuery, 'limit'>

async function printFile(
  format: AuditFileFormat,
  filterIn: (store: Store) => Promise<Filter>,
  beforeId: bigint | undefined,
): Promise<void> {
  await withStore(async store => {
    const texts = formatAuditFile(await readAudit(store, { ...(await filterIn(store)), beforeId }), format)
    await pipeline(texts, process.stdout, { end: false }).catch(ignoreOutputErrors)
  })
}

/** Such as `key 3 "till" of account 1 "Acme"`. */
function formatSubject({ action, subjectId, subjectName, accountId, accountName, pet }: ListedEntry): string {
  const kind = subjectKindOf(action)
  if (pet) return named('pet', pet.id, (pet.after ?? pet.before)?.name)
  if (subjectId === undefined) return '-'
  const owner = accountId === undefined || kind === 'account' ? '' : ` of ${named('account', accountId, accountName)}`
  return `${named(kind, subjectId, subjectName)}${owner}`
}

function named(kind: string | undefined, id: bigint, name: string | undefined): string {
  return [kind, id, name && `"${name}"`].filter(part => part !== undefined).join(' ')
}

const HELP = `
WHO is the user of the command line, or the name of the operator token. Refused
sign-ins have the action sign-in.refused. SUBJECT is what the action changed,
such as the key of key.revoke. DETAILS shows the values before and after. With
--subject pet:12, it shows those of this animal, also for imports and changes of
many animals; petstore pet changed-by lists all animals of such an entry. Times
are UTC. A day without a time is included in full; a time needs a zone.

CSV begins with a byte order mark, so that spreadsheets read it as UTF-8.

Examples:
  $ petstore audit
  $ petstore audit --account acme --action key.revoke
  $ petstore audit --operator Anna --from 2026-11-01 --to 2026-11-30
  $ petstore audit --subject pet:12
  $ petstore audit --before 120 --limit 100 --json
  $ petstore audit --action sign-in --export csv >refused.csv`
