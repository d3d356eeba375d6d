import { Readable } from 'node:stream'
import { petsOfEntry as findPets, parseAuditFilter, readAudit } from '../../domain/administration/audit.ts'
import { findPastAccount } from '../../domain/administration/usage.ts'
import { AUDIT_ACTIONS, AUDIT_KINDS, type AuditQuery, SUBJECT_KINDS } from '../../domain/audit.ts'
import type { Store } from '../../domain/store.ts'
import { AUDIT_FILE_FORMATS, formatAuditFile } from '../../schema/audit-file.ts'
import { given, oneOf } from '../../schema/fields.ts'
import { AuditEntryJson, auditEntryJson, PetOfEntryJson, petOfEntryJson } from '../../schema/responses/audit.ts'
import { type Static, type TObject, Type } from '../../schema/type.ts'
import { CSV, fileOfDay, NDJSON, whilePermitted } from '../file-download.ts'
import { abortSignalOf, asParameter } from '../handler.ts'
import { staff } from '../operation.ts'
import { account, after, before, INSTANT, INSTANT_PATTERN, limit } from '../request-fields.ts'

const CREATION = {
  id: 2,
  at: '2026-01-05T09:30:00.000Z',
  actor: 'Anna (token 1)',
  tokenId: 1,
  origin: '127.0.0.1',
  action: 'account.create',
  subjectKind: 'account',
  subjectId: 1,
  subjectName: 'Acme Pets',
  accountId: 1,
  account: 'Acme Pets',
  before: null,
  after: { name: 'Acme Pets', plan: 'pro', perMinute: 300, perDay: 10_000 },
  details: {},
  pet: null,
}

/** A change of many animals, as it changed one. */
const REX = {
  id: 1,
  before: { name: 'Rex', categoryId: 1, status: 'available' },
  after: { name: 'Rex', categoryId: 1, status: 'sold' },
}
const SALE = {
  ...CREATION,
  id: 12,
  at: '2026-03-02T11:00:00.000Z',
  action: 'pet.correct-many',
  subjectKind: null,
  subjectId: null,
  subjectName: null,
  accountId: null,
  account: null,
  after: { status: 'sold' },
  details: { count: 36 },
  pet: REX,
}

/** Parsed by `parseAuditFilter`. */
const dayOrInstant = (description: string) =>
  Type.Union([Type.String({ format: 'date' }), Type.String({ format: 'date-time', pattern: INSTANT_PATTERN })], {
    description,
    rule: `a UTC day such as 2030-12-31, or ${INSTANT}`,
  })

const auditFilter = Type.Partial({
  account,
  action: oneOf(
    [...AUDIT_ACTIONS, ...AUDIT_KINDS],
    'Only this action, or all actions of a kind, such as `pet` or `sign-in`.',
  ),
  subjectKind: oneOf(
    SUBJECT_KINDS,
    'Only actions on this kind of object. With `subjectId`, `pet` also returns actions on many animals, such as imports, if this animal is one of them; `pet` then has its values before and after each.',
  ),
  subjectId: Type.BigInt({ description: 'Only actions on objects with this id.', rule: 'an id' }),
  operator: given(
    'Only actions of this operator: the id or the name of a token, or a user of the command line.',
    'an id or a name',
  ),
  from: dayOrInstant('The first day, or the start time.'),
  to: dayOrInstant('The last day, or the end time (exclusive).'),
})

const listAudit = staff('GET', '/audit', {
  summary: 'List audit entries',
  description: 'Returns what operators did, newest first. Refused sign-ins have the action `sign-in.refused`.',
  query: Type.Object({ ...auditFilter, before, limit }),
  response: Type.Array(AuditEntryJson),
  errors: ['not_found'],
  examples: {
    creations: { query: { action: 'account.create', before: 1_000, limit: 20 }, response: [CREATION] },
    ofAcme: { query: { account: 'Acme Pets', subjectKind: 'account', subjectId: 1 }, response: [CREATION] },
    byAnna: { query: { operator: 'Anna', from: '2026-01-01', to: '2026-01-31' }, response: [CREATION] },
    ofRex: { query: { subjectKind: 'pet', subjectId: 1 }, response: [SALE] },
    signIns: { query: { action: 'sign-in' }, response: [] },
  },
  async handle({ context: { store }, query }) {
    const { before, limit } = query
    const entries = await store.listAudit({ ...(await readFilter(store, query)), beforeId: before, limit: limit + 1 })
    return entries.map(auditEntryJson)
  },
})

const petsOfEntry = staff('GET', '/audit/{entryId}/pets', {
  summary: 'List the animals of an audit entry',
  description:
    'Returns the animals that an action added, changed or deleted, with their values before and after it, in ascending order of id. Entries of older versions may have none.',
  query: Type.Object({ after, limit }),
  response: Type.Array(PetOfEntryJson),
  examples: { sale: { id: 12, query: { after: 0, limit: 20 }, response: [REX] } },
  async handle({ call, context: { store }, id, query: { after, limit } }) {
    const found = await findPets(store, id, { afterId: after, limit: limit + 1 }, abortSignalOf(call))
    return found.map(petOfEntryJson)
  },
})

const exportAudit = staff('GET', '/audit/export', {
  summary: 'Export audit entries',
  description:
    'Returns all matching entries, newest first, as NDJSON or CSV. CSV begins with a byte order mark, and what a spreadsheet would read as a formula follows an apostrophe or, in JSON, is escaped.',
  query: Type.Object({
    ...auditFilter,
    format: Type.Optional(oneOf(AUDIT_FILE_FORMATS, 'The format of the file. Default: `ndjson`.')),
  }),
  download: [NDJSON, CSV],
  errors: ['not_found'],
  examples: {
    ndjson: { query: { operator: 'Anna', to: '2026-01-31' }, response: `${JSON.stringify(CREATION)}\n` },
    csv: {
      query: { operator: 'Anna', from: '2026-01-01', format: 'csv' },
      response:
        '\ufeffid,at,actor,tokenId,origin,action,subjectKind,subjectId,subjectName,accountId,account,before,after,details,pet\n',
      responseType: CSV,
    },
  },
  async handle(request) {
    const { query } = request
    const { store } = request.context
    const { format = 'ndjson' } = query
    const entries = whilePermitted(request, await readAudit(store, await readFilter(store, query)))
    return fileOfDay(request, 'audit', format, Readable.from(formatAuditFile(entries, format)))
  },
})

type Filter = Static<TObject<typeof auditFilter>>

async function readFilter(store: Store, query: Filter): Promise<Omit<AuditQuery, 'limit'>> {
  const { account, action, subjectKind, subjectId } = query
  const typed = asParameter(parseAuditFilter, query)
  const accountId = account === undefined ? undefined : (await findPastAccount(store, account)).id
  return { ...typed, accountId, action, subjectKind, subjectId }
}

export const AUDIT = { listAudit, petsOfEntry, exportAudit }
