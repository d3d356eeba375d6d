import { entryOf } from '../domain/administration/context.ts'
import type { ImportOptions, ImportReport } from '../domain/pet-files.ts'
import {
  type BadLine,
  type CommitOptions,
  MAX_BAD_LINES_KEPT,
  type PetChangeLine,
  type PetLine,
  type PetTransfer,
} from '../domain/pet-transfer.ts'
import { readCsv } from './csv.ts'
import { decode } from './encoding.ts'
import { readLines } from './lines.ts'
import { readNdjson } from './ndjson.ts'
import { type Interpretation, isBad, isGood, NEW_PETS, PET_CHANGES } from './pet-line.ts'

export interface ImportRequest extends ImportOptions {
  /** Unix milliseconds. */
  clock: () => number
  chunks: AsyncIterable<Buffer>
  /**
   * Called with bad lines as they are found, in ascending order. The last call has the lines that became invalid while the file was read; if
   * there are very many, `lines` has only the first ones.
   */
  onBad(lines: readonly BadLine[], count: number): void
  onProgress(progress: ImportProgress): void
}

export interface ImportProgress {
  bytes: number
  /** Lines with an animal, whether good or bad. */
  read: number
  badLines: number
  /** The whole file has been read; only the commit remains. */
  isRead: boolean
}

/** The report, and the first MAX_BAD_LINES_KEPT bad lines. */
export type KeptReport = ImportReport & { bad: BadLine[] }

/** How the good lines of a file are processed. */
interface Run<Good> {
  stage(lines: readonly Good[]): Promise<BadLine[]>
  finish(options: CommitOptions): Promise<Outcome>
  discard(): Promise<void>
}

type Outcome = Partial<ImportReport> & { refused: number; refusedLines: readonly BadLine[] }

/**
 * Imports the animals of a file in one step: all or none.
 * @throws UserError when the file as a whole cannot be read
 */
export async function importPets(transfer: PetTransfer, request: ImportRequest): Promise<KeptReport> {
  if (request.mode === 'add') return carryOut(await beginAdding(transfer, request), NEW_PETS, request)
  return carryOut(await beginUpdating(transfer, request), PET_CHANGES, request)
}

async function beginAdding(transfer: PetTransfer, request: ImportRequest): Promise<Run<PetLine>> {
  const run = await transfer.beginImport()
  return {
    stage: lines => run.stage(lines),
    finish: options => (request.dryRun ? run.preview(options) : run.commit(entryFor(request), options)),
    discard: () => run.discard(),
  }
}

async function beginUpdating(transfer: PetTransfer, request: ImportRequest): Promise<Run<PetChangeLine>> {
  const run = await transfer.beginUpdate()
  return {
    stage: lines => run.stage(lines),
    finish: options => (request.dryRun ? run.preview(options) : run.commit(entryFor(request), options)),
    discard: () => run.discard(),
  }
}

function entryFor({ actor, clock, mode, name }: ImportRequest) {
  return entryOf({ actor, now: clock() }, mode === 'add' ? 'pet.import' : 'pet.update', { details: { file: name } })
}

async function carryOut<Good>(
  run: Run<Good>,
  interpretation: Interpretation<Good>,
  request: ImportRequest,
): Promise<KeptReport> {
  try {
    return await readAndFinish(run, interpretation, request)
  } finally {
    await run.discard()
  }
}

async function readAndFinish<Good>(
  run: Run<Good>,
  interpretation: Interpretation<Good>,
  request: ImportRequest,
): Promise<KeptReport> {
  const { skipBad, onBad, onProgress } = request
  const report: KeptReport = { ...NOTHING, bad: [] }
  const addBad = (bad: readonly BadLine[], count = bad.length) => {
    if (count === 0) return
    report.badLines += count
    report.bad.push(...bad.slice(0, MAX_BAD_LINES_KEPT - report.bad.length))
    onBad(bad, count)
  }

  let bytes = 0
  const counted = count(request.chunks, length => {
    bytes += length
  })
  const progress = (isRead: boolean) => onProgress({ bytes, read: report.read, badLines: report.badLines, isRead })
  for await (const lines of readFile(counted, interpretation, request)) {
    const refused = await run.stage(lines.filter(isGood))
    addBad([...lines.filter(isBad), ...refused].sort((one, other) => one.line - other.line))
    report.read += lines.length
    progress(false)
  }
  progress(true)

  if (report.badLines > 0 && !skipBad) return report
  const { refused, refusedLines, ...done } = await run.finish({ skipRefused: skipBad })
  addBad(refusedLines, refused)
  return { ...report, ...done }
}

const NOTHING: ImportReport = {
  read: 0,
  imported: 0,
  firstId: undefined,
  lastId: undefined,
  updated: 0,
  unchanged: 0,
  badLines: 0,
}

function readFile<Good>(
  chunks: AsyncIterable<Buffer>,
  interpretation: Interpretation<Good>,
  { format, csv }: ImportRequest,
) {
  if (format === 'ndjson') return readNdjson(readLines(chunks), interpretation)
  return readCsv(readLines(decode(chunks, csv.encoding)), csv, interpretation)
}

async function* count(chunks: AsyncIterable<Buffer>, onRead: (length: number) => void): AsyncIterable<Buffer> {
  for await (const chunk of chunks) {
    onRead(chunk.length)
    yield chunk
  }
}
