import * as sources from '../../domain/administration/sources.ts'
import { withExample } from '../../domain/bad-lines.ts'
import { conflict } from '../../domain/errors.ts'
import { MAX_PAUSE_SECONDS } from '../../domain/source.ts'
import { Refusal } from '../../http/refusal.ts'
import { SOURCE_OPTIONS, schemasOf } from '../../schema/file-options.ts'
import {
  SourceJson,
  SourceRunJson,
  SyncReportJson,
  sourceJson,
  sourceRunJson,
  syncReportJson,
} from '../../schema/responses/sources.ts'
import { type TSchema, Type } from '../../schema/type.ts'
import { staffCreates } from '../creation.ts'
import { CSV } from '../file-download.ts'
import { abortSignalOf } from '../handler.ts'
import { feed, staff } from '../operation.ts'
import { before, limit, sourceName } from '../request-fields.ts'
import { FileQuery, parseImport, TABLE_TYPES } from './pet-files.ts'

const RUN = {
  id: 7,
  at: '2026-03-02T02:00:04.000Z',
  actor: 'Riverside (token 3)',
  tokenId: 3,
  file: 'upload',
  outcome: 'synced',
  refusal: null,
  ...{ read: 2, added: 1, corrected: 0, returned: 0, removed: 0, unchanged: 1, leftOut: 0 },
  entryId: 12,
  reasons: [],
}
const RIVERSIDE = {
  id: 1,
  name: 'riverside',
  keyColumn: null,
  missing: 'sold',
  maxRemovals: null,
  pauseSeconds: 86_400,
  meanings: 'status:Foster=pending',
  newCategories: true,
  expectedPauseSeconds: 86_400,
  nextExpectedAt: '2026-03-03T02:00:04.000Z',
  isLate: false,
  createdAt: '2026-02-23T10:15:00.000Z',
  lastRun: RUN,
}
const NEW = { ...RIVERSIDE, nextExpectedAt: '2026-02-24T10:15:00.000Z', lastRun: null }

const { meanings, newCategories, ...rules } = schemasOf(SOURCE_OPTIONS)
const pauseSeconds = Type.Integer({
  description: 'How long after a file the next one is expected. Default: learned from the last files.',
  minimum: 1,
  maximum: MAX_PAUSE_SECONDS,
  rule: 'a number of seconds, up to one year',
})
const settings = { ...rules, pauseSeconds, meanings, newCategories }
const orDefault = <Value>(schema: TSchema<Value>) =>
  Type.Unsafe<Value | null>(
    Type.Union([schema, Type.Null()], { description: `${schema.description} Null: the default.`, rule: schema.rule }),
  )

const listSources = staff('GET', '/sources', {
  summary: 'List sources',
  response: Type.Array(SourceJson),
  examples: { one: { response: [RIVERSIDE] } },
  async handle({ context: { store, now } }) {
    return (await store.listSources({})).map(source => sourceJson(source, now))
  },
})

const createSource = staffCreates('POST', '/sources', {
  summary: 'Create a source',
  body: Type.Object({ name: sourceName('Its name. Case does not matter.'), ...Type.Partial(settings) }),
  response: SourceJson,
  errors: ['conflict', 'invalid_input'],
  examples: {
    daily: {
      body: { name: 'riverside', pauseSeconds: 86_400, meanings: 'status:Foster=pending', newCategories: true },
      response: NEW,
    },
  },
  create: ({ context, body: { name, ...settings } }) => sources.createSource(context, name, settings),
  answer: source => sourceJson(source, source.createdAt),
})

const readSource = staff('GET', '/sources/{name}', {
  summary: 'Get a source',
  response: SourceJson,
  examples: { riverside: { id: 'riverside', response: RIVERSIDE } },
  handle: async ({ context: { store, now }, id }) => sourceJson(await sources.findSource(store, id), now),
})

const changeSource = staff('PATCH', '/sources/{name}', {
  summary: 'Change a source',
  body: Type.Object(
    Type.Partial({
      ...settings,
      keyColumn: orDefault(rules.keyColumn),
      maxRemovals: orDefault(rules.maxRemovals),
      pauseSeconds: orDefault(pauseSeconds),
      meanings: orDefault(meanings),
    }),
    { description: 'The settings to change; omitted ones do not change.' },
  ),
  response: SourceJson,
  errors: ['invalid_input'],
  examples: {
    daily: { id: 'riverside', body: { pauseSeconds: 86_400 }, response: RIVERSIDE },
    learned: {
      id: 'riverside',
      body: { pauseSeconds: null },
      response: { ...RIVERSIDE, pauseSeconds: null, expectedPauseSeconds: 86_412 },
    },
  },
  async handle({ context, id, body }) {
    return sourceJson(await sources.changeSource(context, id, body), context.now)
  },
})

const removeSource = staff('DELETE', '/sources/{name}', {
  summary: 'Remove a source',
  description: 'Forgets its runs and the ids that the other software gave its animals. The animals stay.',
  examples: { riverside: { id: 'riverside' } },
  async handle({ context, id }) {
    await sources.removeSource(context, id)
  },
})

const listSourceRuns = staff('GET', '/sources/{name}/runs', {
  summary: 'List the files of a source',
  description: 'Returns the last 100 files, newest first. Dry runs are not among them.',
  query: Type.Object({ before, limit }),
  response: Type.Array(SourceRunJson),
  examples: { first: { id: 'riverside', query: { before: 100, limit: 20 }, response: [RUN] } },
  async handle({ context: { store }, id, query: { before, limit } }) {
    const { id: sourceId } = await sources.findSource(store, id)
    return (await store.listSourceRuns({ sourceId, beforeId: before, limit: limit + 1 })).map(sourceRunJson)
  },
})

const FILE = 'ID,AnimalName,Type,Status\nA1001,Rex,Dog,A\nA1002,Tom,Cat,H\n'

const { mode: _, idColumn: __, ...ofFile } = FileQuery.properties

const syncSource = feed('PUT', '/sources/{name}/file', {
  summary: 'Send the file of a source',
  description:
    'Makes the animals of a source as they are in its file, CSV or a workbook (.xlsx), in one step: new ids are added, changed animals are corrected, and the missing ones become sold, are deleted or stay. ' +
    'Only animals that earlier files of the source have added are changed. Unchanged ones are not written. ' +
    'Files as shelter software writes them for Petfinder and for RescueGroups need no options. ' +
    'A file that would remove too many animals, or has a bad line and not `skipBad`, is refused as a whole with `conflict`; a dry run returns the reasons. ' +
    'A token of the role `feed` may send the file of its own source, and nothing else; `keyColumn`, `missing` and `maxRemovals` are for staff. ' +
    'The same file may be sent again.',
  query: Type.Object({ ...ofFile, ...Type.Partial(rules) }),
  upload: TABLE_TYPES,
  response: SyncReportJson,
  errors: ['conflict', 'invalid_input', 'unknown_encoding'],
  examples: {
    petfinder: {
      id: 'riverside',
      query: { newCategories: true },
      bodyType: CSV,
      body: FILE,
      response: {
        outcome: 'synced',
        refusal: null,
        ...{ read: 2, added: 1, corrected: 0, returned: 0, removed: 0, unchanged: 1, leftOut: 0 },
        entryId: 12,
        ...{ badLinesOmitted: 0, reasons: [], unknownValues: [], newCategories: [{ id: 1, label: 'Dog' }], bad: [] },
      },
    },
  },
  async handle({ call, context, credentials, files, upload, query, id }) {
    if (call.request.headers['content-range'] !== undefined)
      throw new Refusal('malformed_request', 'The file must be sent as a whole, without Content-Range.')
    const { keyColumn, missing, maxRemovals, ...reading } = query
    // Otherwise, a stolen token for one file could delete all animals of its source.
    if (credentials?.operator.role === 'feed' && (keyColumn ?? missing ?? maxRemovals) !== undefined)
      throw onlyForStaff()
    const { name: source } = await sources.findSource(context.store, id)
    const sync = { source, mayCreate: false, keyColumn, missing, maxRemovals }
    const options = { ...parseImport(reading, upload.type, upload.charset, context.actor), sync }
    const report = await files.importFile(options, call.requestId, upload.chunks, abortSignalOf(call))
    if (report.refusal !== undefined && !options.dryRun) throw conflict(withExample(report.refusal, report.reasons))
    return syncReportJson(report, options)
  },
})

function onlyForStaff(): Refusal {
  return new Refusal(
    'role_insufficient',
    'This token keeps to the settings of its source: it cannot choose keyColumn, missing or maxRemovals.',
  )
}

export const SOURCES = {
  listSources,
  createSource,
  readSource,
  changeSource,
  removeSource,
  listSourceRuns,
  syncSource,
}
