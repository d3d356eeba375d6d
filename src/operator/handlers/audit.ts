import { Readable } from 'node:stream'
import { parseAuditFilter, readAudit } from '../../domain/administration/audit.ts'
import { findPastAccount } from '../../domain/administration/usage.ts'
import type { AuditQuery } from '../../domain/audit.ts'
import type { Store } from '../../domain/store.ts'
import { formatAuditFile } from '../../schema/audit-file.ts'
import { AuditEntryJson, auditEntryJson } from '../../schema/responses/audit.ts'
import { type Static, Type } from '../../schema/type.ts'
import { asParameter, Streamed } from '../handler.ts'
import { staff } from '../operation.ts'
import { AuditExport, AuditSearch } from '../request-schemas.ts'
import { whilePermitted } from '../while-permitted.ts'
import { suggestFileName } from './suggest-file-name.ts'

const CREATION = {
  id: 2,
  at: '2026-01-05T09:30:00.000Z',
  actor: 'Anna (token 1)',
  tokenId: 1,
  origin: '127.0.0.1',
  action: 'account.create',
  subjectKind: 'account',
  subjectId: 1,
  accountId: 1,
  before: null,
  after: { name: 'Acme Pets', plan: 'pro', perMinute: 300, perDay: 10_000 },
  details: {},
}

const listAudit = staff('GET', '/audit', {
  summary: 'List audit entries',
  description: 'Returns what operators did, newest first. Refused sign-ins have the action `sign-in.refused`.',
  query: AuditSearch,
  response: Type.Array(AuditEntryJson),
  errors: ['not_found'],
  page: 'before',
  examples: {
    creations: { query: { action: 'account.create', before: 1_000, limit: 20 }, response: [CREATION] },
    ofAcme: { query: { account: 'Acme Pets', subjectKind: 'account', subjectId: 1 }, response: [CREATION] },
    byAnna: { query: { operator: 'Anna', from: '2026-01-01', to: '2026-01-31' }, response: [CREATION] },
    signIns: { query: { action: 'sign-in' }, response: [] },
  },
  async handle({ context: { store }, query }) {
    const { before, limit } = query
    const entries = await store.listAudit({ ...(await readFilter(store, query)), beforeId: before, limit: limit + 1 })
    return entries.map(auditEntryJson)
  },
})

export const AUDIT_FILE_TYPES = ['application/x-ndjson', 'text/csv']

const TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const

const exportAudit = staff('GET', '/audit/export', {
  summary: 'Export audit entries',
  description:
    'Returns all matching entries, newest first, as NDJSON or CSV. CSV begins with a byte order mark, and what a spreadsheet would read as a formula follows an apostrophe or, in JSON, is escaped.',
  query: AuditExport,
  download: AUDIT_FILE_TYPES,
  errors: ['not_found'],
  isAttachment: true,
  examples: {
    ndjson: { query: { operator: 'Anna', to: '2026-01-31' }, response: `${JSON.stringify(CREATION)}\n` },
    csv: {
      query: { operator: 'Anna', from: '2026-01-01', format: 'csv' },
      response: '\ufeffid,at,actor,tokenId,origin,action,subjectKind,subjectId,accountId,before,after,details\n',
      responseType: 'text/csv',
    },
  },
  async handle(request) {
    const { query } = request
    const { store } = request.context
    const { format = 'ndjson' } = query
    const entries = whilePermitted(request, await readAudit(store, await readFilter(store, query)))
    suggestFileName(request, 'audit', format)
    return new Streamed(TYPES[format], Readable.from(formatAuditFile(entries, format)))
  },
})

type Filter = Pick<
  Static<typeof AuditSearch>,
  'account' | 'action' | 'subjectKind' | 'subjectId' | 'operator' | 'from' | 'to'
>

async function readFilter(store: Store, query: Filter): Promise<Omit<AuditQuery, 'limit'>> {
  const { account, action, subjectKind, subjectId } = query
  const typed = asParameter(parseAuditFilter, query)
  const accountId = account === undefined ? undefined : (await findPastAccount(store, account)).id
  return { ...typed, accountId, action, subjectKind, subjectId }
}

export const AUDIT = { listAudit, exportAudit }
