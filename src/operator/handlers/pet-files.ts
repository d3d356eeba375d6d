import { Readable } from 'node:stream'
import type { Actor } from '../../domain/audit.ts'
import { ENCODING_RULE, parseEncoding } from '../../domain/encoding.ts'
import { UserError } from '../../domain/errors.ts'
import {
  type CsvReading,
  type Download,
  type ImportOnce,
  type ImportOptions,
  PET_FILE_FORMATS,
} from '../../domain/pet-files.ts'
import { readIdempotencyKey } from '../../http/idempotency-key.ts'
import { Refusal } from '../../http/refusal.ts'
import { given, oneOf } from '../../schema/fields.ts'
import {
  IMPORT_OPTIONS,
  LAYOUT_PARAMETERS,
  READING_PARAMETERS,
  type ReadingValues,
  readingOf,
  schemasOf,
  WRITING_OPTIONS,
} from '../../schema/file-options.ts'
import {
  CsvPreviewJson,
  csvPreviewJson,
  ImportModeName,
  ImportReportJson,
  importReportJson,
  RunningImportJson,
  runningImportJson,
} from '../../schema/responses/pet-files.ts'
import { type Static, Type } from '../../schema/type.ts'
import { noLongerPermitted } from '../authenticate.ts'
import { createOnce, readRepeatable } from '../create-once.ts'
import { CSV, fileNamed, fileOfDay, NDJSON, WORKBOOK } from '../file-download.ts'
import { abortSignalOf, type Request } from '../handler.ts'
import { staff } from '../operation.ts'
import { PetConditions } from '../request-fields.ts'
import { parseStatuses } from './pets.ts'

export const TABLE_TYPES = [CSV, WORKBOOK] as const
const PET_FILE_TYPES = [NDJSON, ...TABLE_TYPES] as const

const PreviewQuery = Type.Object(LAYOUT_PARAMETERS)

const interpreting = { mode: Type.Optional(ImportModeName), ...READING_PARAMETERS }

const BadLinesQuery = Type.Object(interpreting)

export const FileQuery = Type.Object({
  ...Type.Partial(schemasOf(IMPORT_OPTIONS)),
  file: Type.Optional(given('The name of the file, for the audit log.', 'the name of a file')),
  ...interpreting,
})

const EXPORT_FORMAT = oneOf(
  PET_FILE_FORMATS,
  'The format of the file; `xlsx` is a workbook. Default: `ndjson`, or `csv` if you send a CSV option.',
)

const ExportQuery = Type.Object(
  Type.Partial({ format: EXPORT_FORMAT, ...PetConditions, ...schemasOf(WRITING_OPTIONS) }),
)

/** @throws Refusal unsupported_media_type */
function parseReading(query: ReadingValues, charset: string | undefined): CsvReading {
  return { ...readingOf(query), encoding: encodingOf(query.encoding, charset) }
}

/** These leave the encoding open: only the file shows the byte order of UTF-16, and senders of UTF-8 name ASCII by mistake. */
const OPEN_CHARSETS = ['utf-16', 'us-ascii', 'ascii']

function encodingOf(given: string | undefined, charset: string | undefined): string | undefined {
  const label = given ?? (OPEN_CHARSETS.includes(charset ?? '') ? undefined : charset)
  if (label === undefined) return undefined
  const encoding = parseEncoding(label)
  if (encoding !== undefined) return encoding
  throw new Refusal('unsupported_media_type', `The encoding of a file must be ${ENCODING_RULE}.`)
}

const FILE = 'name;category;status\nRex;1;available\nBella;1;sold\n'
const NO_BAD_LINES = { badLines: 0, badLinesOmitted: 0, reasons: [], unknownValues: [], newCategories: [], bad: [] }
const NOT_A_NUMBER = 'categoryId must be a whole number, such as 12; "cats" is not one.'
const REPORT = { mode: 'add', read: 2, imported: 2, firstId: 1, lastId: 2, entryId: null, updated: 0, unchanged: 0 }

const importPets = staff('POST', '/pets/import', {
  summary: 'Import animals from a file',
  description:
    'Reads one animal per line, from NDJSON, from CSV with a header or from a sheet of a workbook (.xlsx), and adds all of them in one step, or corrects existing ones. ' +
    'Columns are recognised by their usual names, and words by the labels of categories and by `meanings`; `unknownValues` lists the others. ' +
    'If any line is bad, the whole file is refused, unless `skipBad` is `true`. The response counts all bad lines and their reasons, and lists the first 1,000; ' +
    '`POST /pets/import/bad-lines` returns all of them. ' +
    'The delimiter of CSV is detected if you do not give it. So are UTF-8 and UTF-16; a file in any other encoding gets `unknown_encoding` unless you give it. ' +
    'A workbook may have 128 MiB of different texts. A file that is something else, such as a web page or a JSON array, gets a `conflict` that says so; so does a CSV file without a header. ' +
    'The file may be up to 1 GiB. There is no limit on the time it takes to arrive, as long as some of it arrives every 20 seconds, ' +
    'at 1 KiB per second on average. ' +
    'The file is imported once it has arrived; disconnecting before it has been read to its end cancels the import. ' +
    'If many files arrive at once and take up all the room, the slowest sender gets `conflict`. ' +
    'An `Idempotency-Key` is used up only by an import that changes something.',
  query: FileQuery,
  upload: PET_FILE_TYPES,
  response: ImportReportJson,
  errors: ['conflict', 'invalid_input', 'unknown_encoding'],
  isRepeatable: true,
  examples: {
    csv: {
      query: { categoryIdColumn: 'category', dryRun: true },
      bodyType: CSV,
      body: FILE,
      response: { outcome: 'checked', ...REPORT, ...NO_BAD_LINES },
    },
    ndjson: {
      query: { file: 'pets.ndjson' },
      bodyType: NDJSON,
      body: '{"name":"Rex","categoryId":1}\n{"name":"Bella","categoryId":"cats"}\n',
      response: {
        outcome: 'refused',
        ...{ ...REPORT, ...NO_BAD_LINES },
        ...{ imported: 0, firstId: null, lastId: null, badLines: 1 },
        reasons: [{ reason: NOT_A_NUMBER, count: 1, firstLines: [2] }],
        bad: [
          {
            line: 2,
            reason: NOT_A_NUMBER,
            problems: [{ member: 'categoryId', value: 'cats', reason: NOT_A_NUMBER }],
          },
        ],
      },
    },
  },
  async handle(request) {
    const { call, context, files, upload, query } = request
    const options = parseImport(query, upload.type, upload.charset, context.actor)
    // An invalid key is refused before the file arrives.
    readIdempotencyKey(call.request)
    const once: ImportOnce = (sha256, carryOut) => {
      const repeatable = readRepeatable(call, context, sha256)
      return createOnce({ ...request, context: { ...context, request: repeatable } }, () => carryOut(repeatable))
    }
    const report = await files.importFile(options, call.requestId, upload.chunks, abortSignalOf(call), once)
    return importReportJson(report, options)
  },
})

const MAX_FILE_NAME = 255

const FORMAT_OF: Readonly<Record<string, 'csv' | 'xlsx'>> = { [CSV]: 'csv', [WORKBOOK]: 'xlsx' }

export function parseImport(
  { mode = 'add', file = 'upload', dryRun = false, skipBad = false, ...reading }: Static<typeof FileQuery>,
  type: string,
  charset: string | undefined,
  actor: Actor,
): ImportOptions {
  return {
    format: FORMAT_OF[type] ?? 'ndjson',
    mode,
    dryRun,
    skipBad,
    csv: parseReading(reading, charset),
    name: file.slice(0, MAX_FILE_NAME),
    actor,
  }
}

const listBadLines = staff('POST', '/pets/import/bad-lines', {
  summary: 'List all bad lines of a file',
  description:
    'Takes the same file as an import, and returns all lines that cannot be imported as CSV for a spreadsheet: the columns of the file, and one more, `problem (not imported)`, with the line number and the reason. Once the lines are corrected, this file can be imported with the same options. Changes nothing. If the response is cut off, the list is incomplete.',
  query: BadLinesQuery,
  upload: PET_FILE_TYPES,
  download: [CSV],
  errors: ['conflict', 'unknown_encoding'],
  examples: {
    csv: {
      query: { categoryIdColumn: 'category' },
      bodyType: CSV,
      body: 'name;category;status\nRex;dogs;available\n',
      responseType: CSV,
      response:
        '\ufeffname,category,status,problem (not imported)\r\nRex,dogs,available,"line 2: categoryId must be the number or the label of a category; ""dogs"" is neither."\r\n',
    },
  },
  async handle(request) {
    const { call, context, files, upload, query } = request
    const options = parseImport(query, upload.type, upload.charset, context.actor)
    const list = await files.listBadLines(options, upload.chunks, abortSignalOf(call))
    return fileNamed(request, 'bad-lines', 'csv', bodyOf(list, request))
  },
})

const listImports = staff('GET', '/pets/import', {
  summary: 'List running imports',
  description:
    'Returns the imports in progress on this instance. To find an import here, send an `X-Request-Id` with it.',
  response: Type.Array(RunningImportJson),
  examples: {
    one: {
      response: [
        {
          requestId: 'import-7',
          actor: 'Anna (token 1)',
          startedAt: '2026-03-02T11:20:00.000Z',
          bytes: 40_960_000,
          read: 512_000,
          badLines: 3,
          isRead: false,
        },
      ],
    },
  },
  handle: async ({ files }) => files.imports.map(runningImportJson),
})

const previewImport = staff('POST', '/pets/import/preview', {
  summary: 'Preview a CSV file or a workbook',
  description:
    'Shows how an import would read the first 64 KiB of a CSV file, or a whole workbook (.xlsx): its delimiter and encoding or its sheets, the names in its header, and its first rows. ' +
    'If the encoding is neither given nor shown by the bytes, lists the likely ones with a few lines in each. ' +
    'Suggests a column for each member, based on its name. Changes nothing.',
  query: PreviewQuery,
  upload: TABLE_TYPES,
  response: CsvPreviewJson,
  errors: ['conflict'],
  examples: {
    semicolons: {
      query: { encoding: 'utf-8' },
      bodyType: CSV,
      body: FILE,
      response: {
        delimiter: 'semicolon',
        sheets: [],
        encoding: 'utf-8',
        guesses: [],
        header: ['name', 'category', 'status'],
        columns: { name: 'name', categoryId: 'category', status: 'status' },
        rows: [
          ['Rex', '1', 'available'],
          ['Bella', '1', 'sold'],
        ],
      },
    },
  },
  async handle({ call, files, upload, query }) {
    const reading = parseReading(query, upload.charset)
    const format = FORMAT_OF[upload.type] ?? 'csv'
    return csvPreviewJson(await files.preview(format, reading, upload.chunks, abortSignalOf(call)))
  },
})

const exportPets = staff('GET', '/pets/export', {
  summary: 'Export animals to a file',
  description:
    'Returns all animals that match all conditions, as they are now, in ascending order of id and in a format that imports accept. A workbook can have 1,048,575 animals, and its long numbers are texts, because programs would round them. CSV begins with a byte order mark, so that spreadsheets read it as UTF-8. If the response is cut off, the file is incomplete.',
  query: ExportQuery,
  download: PET_FILE_TYPES,
  errors: ['conflict', 'store_full'],
  examples: {
    sold: {
      query: { status: 'sold,pending', categoryId: 1 },
      responseType: NDJSON,
      response: '{"id":2,"name":"Bella","categoryId":1,"status":"sold"}\n',
    },
    spreadsheet: {
      query: { format: 'csv', name: 'rex', delimiter: 'semicolon', safeForSpreadsheets: true },
      responseType: CSV,
      response: '\ufeffid;name;categoryId;status\n1;Rex;1;available\n',
    },
  },
  async handle(request) {
    const { call, files, query } = request
    const { name, status, categoryId, format: chosen, externalIds = false, ...csv } = query
    const isForCsv = Object.values(csv).some(value => value !== undefined && value !== false)
    const format = chosen ?? (isForCsv || externalIds ? 'csv' : 'ndjson')
    if (format !== 'csv' && isForCsv) {
      throw new Refusal('invalid_parameter', `${Object.keys(csv).join(', ')} require format=csv.`)
    }
    if (format === 'ndjson' && externalIds) {
      throw new Refusal('invalid_parameter', 'externalIds requires format=csv or format=xlsx.')
    }
    const filter = { name, categoryId, statuses: parseStatuses(status) }
    const file = await files.exportFile({ ...csv, externalIds, format, filter }, abortSignalOf(call))
    return fileOfDay(request, 'animals', format, bodyOf(file, request))
  },
})

/** Cuts it off when the reader loses the file, or the operator's token or session ends. */
function bodyOf({ chunks, signal }: Download, { context, credentials, events }: Request): Readable {
  const body = Readable.from(chunks, { objectMode: false })
  const cut = () => {
    const { reason } = signal
    body.destroy(reason instanceof UserError ? new Refusal('conflict', reason.message) : reason)
  }
  if (signal.aborted) cut()
  else signal.addEventListener('abort', cut, { once: true })
  const { permit } = context.actor
  if (permit) {
    const listener = { permit, expiresAt: credentials?.expiresAt }
    body.once(
      'close',
      events.follow(listener, fault => body.destroy(noLongerPermitted(fault, permit))),
    )
  }
  return body
}

export const PET_FILES = { importPets, listBadLines, listImports, previewImport, exportPets }
