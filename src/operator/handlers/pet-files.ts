import { Readable } from 'node:stream'
import { type ImportReport, type PetFileFormat, PREVIEW_BYTES, type RunningImport } from '../../domain/pet-files.ts'
import type { BadLine } from '../../domain/pet-transfer.ts'
import { isoTime } from '../../domain/time.ts'
import { Refusal } from '../../http/refusal.ts'
import { formatJson } from '../../schema/exact-json.ts'
import type { CsvPreviewJson, ImportReportJson, RunningImportJson } from '../../schema/pet-file-schemas.ts'
import { abortSignalOf, defineHandler, type Request, Streamed, type WithQuery, type WithUpload } from '../handler.ts'
import { type ExportQuery, type ImportQuery, type PreviewQuery, parseReading } from '../pet-file-queries.ts'
import { parseStatuses } from './pets.ts'

const NDJSON = 'application/x-ndjson'
const CSV = 'text/csv'

/** The media types of a file of animals. */
export const PET_FILE_TYPES = [NDJSON, CSV] as const
export const CSV_TYPES = [CSV] as const

const FILE = 'name;category;status\nRex;1;available\nBella;1;sold\n'
const REPORT = { mode: 'add', read: 2, imported: 2, firstId: 1, lastId: 2, updated: 0, unchanged: 0 }

export const importPets = defineHandler({
  id: 'importPets',
  summary: 'Import animals from a file',
  description:
    'Reads one animal per line, from NDJSON or from CSV with a header, and adds all of them in one step, or corrects existing ones. ' +
    'If any line is bad, the whole file is refused, unless `skipBad` is `true`; the response lists all bad lines. ' +
    'The delimiter and the encoding of CSV are detected if you do not give them. ' +
    'The file may be up to 1 GiB. There is no limit on the time it takes to arrive, as long as some of it arrives every 20 seconds, ' +
    'at 1 KiB per second on average. ' +
    'The file is read as it arrives, but nothing changes until it is complete. Disconnecting before then cancels the import.',
  errors: ['conflict', 'invalid_input'],
  examples: {
    csv: {
      query: { categoryIdColumn: 'category', dryRun: 'true' },
      bodyType: CSV,
      body: FILE,
      response: { outcome: 'checked', ...REPORT, badLines: 0, bad: [] },
    },
    ndjson: {
      query: { file: 'pets.ndjson' },
      bodyType: NDJSON,
      body: '{"name":"Rex","categoryId":1}\n{"name":"Bella","categoryId":"cats"}\n',
      response: {
        outcome: 'refused',
        ...REPORT,
        imported: 0,
        firstId: null,
        lastId: null,
        badLines: 1,
        bad: [
          {
            line: 2,
            reason: 'categoryId must be a whole number, such as 12.',
            problems: [
              {
                member: 'categoryId',
                value: 'cats',
                reason: 'categoryId must be a whole number, such as 12.',
              },
            ],
          },
        ],
      },
    },
  },
  async handle({ call, context, files, upload, query }: WithQuery<typeof ImportQuery> & WithUpload) {
    const { mode = 'add', file = 'upload' } = query
    const isDryRun = query.dryRun === 'true'
    const isSkipping = query.skipBad === 'true'
    const options = {
      format: upload.type === CSV ? ('csv' as const) : ('ndjson' as const),
      mode,
      dryRun: isDryRun,
      skipBad: isSkipping,
      csv: parseReading(query, upload.charset),
      name: file.slice(0, MAX_FILE_NAME),
      actor: context.actor,
    }
    const { report, badLines } = await files.importFile(options, call.requestId, upload.chunks, abortSignalOf(call))
    const isRefused = report.badLines > 0 && !isSkipping
    const outcome = isRefused ? 'refused' : isDryRun ? 'checked' : 'imported'
    return new Streamed(
      'application/json',
      Readable.from(reportText({ outcome, mode, ...reportJson(report) }, badLines)),
    )
  },
})

const MAX_FILE_NAME = 255

type ReportHead = Omit<ImportReportJson, 'bad'>

function reportJson({ firstId, lastId, ...counts }: ImportReport): Omit<ReportHead, 'outcome' | 'mode'> {
  return { ...counts, firstId: firstId ?? null, lastId: lastId ?? null }
}

/** The report as JSON, in chunks: there may be a million bad lines. */
async function* reportText(head: ReportHead, badLines: AsyncIterable<BadLine>): AsyncIterable<string> {
  yield `${formatJson(head).slice(0, -1)},"bad":[`
  let separator = ''
  for await (const { line, reason, problems = [] } of badLines) {
    const shown = problems.map(problem => ({ ...problem, value: problem.value ?? null }))
    yield `${separator}${formatJson({ line, reason, problems: shown })}`
    separator = ','
  }
  yield ']}'
}

export const listImports = defineHandler({
  id: 'listImports',
  summary: 'List running imports',
  description:
    'Returns the imports in progress on this instance. To find an import here, send an `X-Request-Id` with it.',
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
  handle: async ({ files }: Request) => files.imports.map(runningImportJson),
})

function runningImportJson({ startedAt, ...running }: RunningImport): RunningImportJson {
  return { ...running, startedAt: isoTime(startedAt) }
}

export const previewImport = defineHandler({
  id: 'previewImport',
  summary: 'Preview a CSV file',
  description:
    'Shows how an import would read the first 64 KiB of a CSV file: its delimiter and encoding, the names in its header, and its first rows. ' +
    'Suggests a column for each member, based on its name. Changes nothing.',
  errors: ['conflict'],
  examples: {
    semicolons: {
      query: { encoding: 'utf-8' },
      bodyType: CSV,
      body: FILE,
      response: {
        delimiter: 'semicolon',
        encoding: 'utf-8',
        header: ['name', 'category', 'status'],
        columns: { name: 'name', categoryId: 'category', status: 'status' },
        rows: [
          ['Rex', '1', 'available'],
          ['Bella', '1', 'sold'],
        ],
      },
    },
  },
  async handle({ files, upload, query }: WithQuery<typeof PreviewQuery> & WithUpload): Promise<CsvPreviewJson> {
    const reading = parseReading(query, upload.charset)
    const parts: Uint8Array[] = []
    let length = 0
    for await (const chunk of upload.chunks) {
      parts.push(chunk)
      length += chunk.length
      if (length >= PREVIEW_BYTES) break
    }
    return files.previewCsv(Buffer.concat(parts).subarray(0, PREVIEW_BYTES), reading)
  },
})

export const exportPets = defineHandler({
  id: 'exportPets',
  summary: 'Export animals to a file',
  description:
    'Returns all animals that match all conditions, as they are now, in ascending order of id and in a format that imports accept. If the response is cut off, the file is incomplete.',
  errors: ['conflict'],
  isAttachment: true,
  examples: {
    sold: {
      query: { status: 'sold,pending', categoryId: 1 },
      responseType: NDJSON,
      response: '{"id":2,"name":"Bella","categoryId":1,"status":"sold"}\n',
    },
    spreadsheet: {
      query: { format: 'csv', name: 'rex', delimiter: 'semicolon', safeForSpreadsheets: 'true' },
      responseType: CSV,
      response: 'id;name;categoryId;status\n1;Rex;1;available\n',
    },
  },
  async handle({ call, files, query, headers }: WithQuery<typeof ExportQuery>) {
    const { delimiter, name, categoryId } = query
    const isSafe = query.safeForSpreadsheets === 'true'
    const isForCsv = delimiter !== undefined || isSafe
    const { format = isForCsv ? 'csv' : 'ndjson' } = query
    if (format !== 'csv' && isForCsv) {
      throw new Refusal('invalid_parameter', 'delimiter and safeForSpreadsheets require format=csv.')
    }
    const options = {
      format,
      filter: { name, categoryId, statuses: parseStatuses(query.status) },
      delimiter: delimiter ?? ('comma' as const),
      safeForSpreadsheets: isSafe,
    }
    const chunks = await files.exportFile(options, abortSignalOf(call))
    headers.push('Content-Disposition', `attachment; filename="pets.${format}"`)
    return new Streamed(TYPE_OF[format], Readable.from(chunks, { objectMode: false }))
  },
})

const TYPE_OF: Readonly<Record<PetFileFormat, string>> = { ndjson: NDJSON, csv: `${CSV}; charset=utf-8` }
