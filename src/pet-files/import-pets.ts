import { entryOf } from '../domain/administration/context.ts'
import { type BadLine, BadLines, refuseBadLines } from '../domain/bad-lines.ts'
import { describeColumns } from '../domain/describe-columns.ts'
import { invalid } from '../domain/errors.ts'
import type { ImportOptions, ImportProgress, ImportReport } from '../domain/pet-files.ts'
import { NOTHING_DONE, type Outcome, type PetSync, type PetTransfer, type Staged } from '../domain/pet-transfer.ts'
import { parseMeanings } from '../domain/value-meaning.ts'
import { readCsvTable, readTable } from './csv.ts'
import type { Table } from './csv-records.ts'
import { decode } from './encoding.ts'
import { readLines } from './lines.ts'
import { readNdjson } from './ndjson.ts'
import { FEED_LINES, type Interpretation, isBad, isGood, NEW_PETS, PET_CHANGES } from './pet-line.ts'
import { recogniseEncoding } from './recognise-encoding.ts'
import { ensureNotForeign, refuseForeign } from './refuse-foreign.ts'
import { UnknownEncoding } from './unknown-encoding.ts'
import { Words } from './words.ts'

export interface ImportRequest extends ImportOptions {
  /** Unix milliseconds. */
  clock: () => number
  /** The size of the file; needed for a workbook only. */
  bytes: number
  /** Reads the file from its start, or from another position. May be called several times, except for NDJSON. */
  open(from?: number): AsyncIterable<Buffer>
  onProgress(progress: ImportProgress): void
}

/**
 * Imports the animals of a file in one step: all or none. Yields bad lines as they are found, in ascending order. The last ones are those
 * that became invalid while the file was read; if there are very many, only the first of them.
 * @returns the report
 * @throws UserError when the file as a whole cannot be read
 * @throws UnknownEncoding
 */
export async function* importPets(
  transfer: PetTransfer,
  request: ImportRequest,
): AsyncGenerator<readonly BadLine[], ImportReport> {
  if (request.sync) {
    if (request.format === 'ndjson') throw invalid('The file of a source must be CSV with a header, or a workbook.')
    const sync = await transfer.beginSync(request.sync)
    return yield* carryOut(sync, FEED_LINES, request, () => asOfSource(request, sync))
  }
  if (request.mode === 'add') return yield* carryOut(await transfer.beginImport(), NEW_PETS, request)
  return yield* carryOut(await transfer.beginUpdate(), PET_CHANGES, request)
}

/** Options of the request come before those of the source. */
async function asOfSource(request: ImportRequest, sync: PetSync): Promise<ImportRequest> {
  const { columns, meanings: given = [], newCategories, ...csv } = request.csv
  const source = await sync.findReading()
  const meanings = [...parseMeanings(source.meanings ?? ''), ...given]
  const reading = { columns: { ...columns, id: source.keyColumn }, meanings }
  return { ...request, csv: { ...csv, ...reading, newCategories: newCategories ?? source.newCategories } }
}

/** Imports a file to its end. */
export async function importAll(
  transfer: PetTransfer,
  request: ImportRequest,
  onBad: (lines: readonly BadLine[]) => void = () => {},
): Promise<ImportReport> {
  const steps = importPets(transfer, request)
  for (;;) {
    const { done, value } = await steps.next()
    if (done) return value
    onBad(value)
  }
}

async function* carryOut<Good extends { line: number }>(
  run: Staged<Good>,
  interpretation: Interpretation<Good>,
  given: ImportRequest,
  prepare = async (request: ImportRequest) => request,
): AsyncGenerator<readonly BadLine[], ImportReport> {
  await using opened = new AsyncDisposableStack()
  opened.defer(() => run.discard())
  const request = await prepare(given)
  const { skipBad, dryRun, onProgress } = request
  const all = new BadLines()
  let [bytes, read] = [0, 0]
  const progress = (isRead: boolean) => onProgress({ bytes, read, badLines: all.count, isRead })
  const onRead = (length: number) => {
    bytes += length
  }
  const words = new Words(
    request.csv,
    request.format === 'ndjson' ? undefined : await run.readCategories(request.csv.newCategories === true),
  )
  for await (const lines of await readFile(request, interpretation, words, onRead)) {
    const refused = await run.stage(lines.filter(isGood), lines.filter(isBad))
    const bad = [...lines.filter(isBad), ...refused].sort((one, other) => one.line - other.line)
    all.add(bad)
    read += lines.length
    progress(false)
    if (bad.length > 0) yield bad
  }
  progress(true)

  let report: ImportReport | undefined
  const reportOf = ({ refused, refusedLines, ...effect }: Outcome): ImportReport => {
    if (report) return report
    all.add(refusedLines, refused)
    const { first: bad, unknownValues } = all
    const areCause = request.sync !== undefined && all.count > 0 && !skipBad
    const refusal = areCause ? refuseBadLines(all.count) : effect.refusal
    const reasons = areCause ? all.reasons : all.reasons.map(({ example: _, ...reason }) => reason)
    const lines = { read, badLines: all.count, bad, reasons, columns: words.columns, unknownValues }
    report = { ...effect, ...lines, refusal }
    return report
  }
  const options = { skipRefused: skipBad, reportOf, newCategories: words.newCategories }
  if (all.count > 0 && !skipBad) {
    if (!dryRun) await run.noteRefusal?.(entryFor(request, words), options)
    return reportOf(NOTHING_DONE)
  }
  const outcome = await (dryRun ? run.preview(options) : run.commit(entryFor(request, words), options))
  if (outcome.refused > 0) yield outcome.refusedLines
  return reportOf(outcome)
}

/** The console offers the meanings again for files with the same columns. */
function entryFor(
  { actor, request, clock, mode, sync, name, csv: { meanings = [] } }: ImportRequest,
  { columns }: Words,
) {
  const chosen = meanings.map(({ member, word, meaning }) => `${member}:${word}=${meaning}`).join('\n')
  const words = chosen === '' ? {} : { columns: describeColumns(columns), meanings: chosen }
  const action = sync ? 'pet.sync' : mode === 'add' ? 'pet.import' : 'pet.update'
  return entryOf({ actor, request, now: clock() }, action, {
    details: { file: name, ...words },
  })
}

async function readFile<Good>(
  request: ImportRequest,
  interpretation: Interpretation<Good>,
  words: Words,
  onRead: (length: number) => void,
) {
  if (request.format !== 'ndjson') {
    return readTable(await openTable(request, onRead), request.csv, interpretation, words)
  }
  const chunks = refuseForeign(request.open(), 'ndjson')
  return readNdjson(readLines(decode(count(chunks, onRead))), interpretation)
}

/**
 * The records of a CSV file or a workbook.
 * @throws UserError when it is neither
 * @throws UnknownEncoding
 */
export async function openTable(
  { format, csv, open, bytes }: Pick<ImportRequest, 'format' | 'csv' | 'open' | 'bytes'>,
  onRead: (length: number) => void = () => {},
): Promise<AsyncIterable<Table>> {
  if (format === 'xlsx') {
    await ensureNotForeign(open(), format)
    // Loaded late, with what it unpacks with: most files are not workbooks.
    const { readWorkbook } = await import('./workbook/read-workbook.ts')
    return readWorkbook({ bytes, open: from => count(open(from), onRead) }, csv.sheet)
  }
  const chunks = () => refuseForeign(open(), format)
  const encoding = csv.encoding ?? (await recogniseEncoding(chunks))
  if (typeof encoding !== 'string') throw new UnknownEncoding(encoding)
  return readCsvTable(readLines(decode(count(chunks(), onRead), encoding)), csv)
}

async function* count(chunks: AsyncIterable<Buffer>, onRead: (length: number) => void): AsyncIterable<Buffer> {
  for await (const chunk of chunks) {
    onRead(chunk.length)
    yield chunk
  }
}
