import { entryOf } from '../domain/administration/context.ts'
import type { Actor } from '../domain/audit.ts'
import { type BadLine, MAX_BAD_LINES_KEPT, type PetImport, type PetTransfer } from '../domain/pet-transfer.ts'
import { type CsvOptions, readCsv } from './csv.ts'
import type { PetFileFormat } from './format.ts'
import { readLines } from './lines.ts'
import { readNdjson } from './ndjson.ts'
import { isBad, isGood, type ReadLine } from './pet-line.ts'

interface ImportRequest extends CsvOptions {
  actor: Actor
  /** Unix milliseconds. */
  clock: () => number
  /** The name of the file for the audit log. */
  name: string
  chunks: AsyncIterable<Buffer>
  format: PetFileFormat
  /** Import the good lines even if others are bad. Otherwise a single bad line aborts the import. */
  skipBad: boolean
  /** Do everything except the import itself. */
  dryRun: boolean
  /**
   * Called with bad lines as they are found, by ascending line. The last call has those whose id was given while the file was read; if
   * there are very many of them, `lines` has only the first.
   */
  onBad(lines: readonly BadLine[], count: number): void
  onProgress(progress: ImportProgress): void
}

interface ImportProgress {
  bytes: number
  /** Lines with an animal, whether good or bad. */
  read: number
  /** The whole file has been read; only the commit remains. */
  isRead: boolean
}

export interface ImportReport {
  read: number
  /** In a dry run, the number that would be imported. */
  imported: number
  firstId: bigint | undefined
  lastId: bigint | undefined
  badLines: number
  /** The first MAX_BAD_LINES_KEPT of them. */
  bad: BadLine[]
}

const READERS: Record<PetFileFormat, typeof readCsv> = { ndjson: readNdjson, csv: readCsv }

/**
 * Imports the animals of a file in one step: all or none.
 * @throws UserError when the file as a whole cannot be read
 */
export async function importPets(transfer: PetTransfer, request: ImportRequest): Promise<ImportReport> {
  const run = await transfer.beginImport()
  try {
    return await readAndImport(run, request)
  } finally {
    await run.discard()
  }
}

async function readAndImport(run: PetImport, request: ImportRequest): Promise<ImportReport> {
  const { skipBad, dryRun, onBad, onProgress } = request
  const report: ImportReport = { read: 0, imported: 0, firstId: undefined, lastId: undefined, badLines: 0, bad: [] }
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
  for await (const lines of READERS[request.format](readLines(counted), request)) {
    addBad(await stage(run, lines))
    report.read += lines.length
    onProgress({ bytes, read: report.read, isRead: false })
  }
  onProgress({ bytes, read: report.read, isRead: true })

  if (report.badLines > 0 && !skipBad) return report
  const options = { skipRefused: skipBad }
  const entry = entryOf({ actor: request.actor, now: request.clock() }, 'pet.import', { file: request.name })
  const outcome = await (dryRun ? run.preview(options) : run.commit(entry, options))
  addBad(outcome.refusedLines, outcome.refused)
  const { imported, firstId, lastId } = outcome
  return { ...report, imported, firstId, lastId }
}

/** @returns the bad lines in their order */
async function stage(run: PetImport, lines: readonly ReadLine[]): Promise<BadLine[]> {
  const bad = lines.filter(isBad)
  const refused = await run.stage(lines.filter(isGood))
  return [...bad, ...refused].sort((one, other) => one.line - other.line)
}

async function* count(chunks: AsyncIterable<Buffer>, onRead: (length: number) => void): AsyncIterable<Buffer> {
  for await (const chunk of chunks) {
    onRead(chunk.length)
    yield chunk
  }
}
