import { entryOf } from '../domain/administration/acting.ts'
import type { Actor } from '../domain/audit.ts'
import { BAD_LINES_KEPT, type BadLine, type PetImport, type PetTransfer } from '../domain/pet-transfer.ts'
import { type CsvOptions, readCsv } from './csv.ts'
import type { PetFileFormat } from './format.ts'
import { readLines } from './lines.ts'
import { readNdjson } from './ndjson.ts'
import { isBad, isGood, type ReadLine } from './pet-line.ts'

interface ImportRequest extends CsvOptions {
  actor: Actor
  /** Unix milliseconds. */
  clock: () => number
  /** What the file is called in the audit log. */
  name: string
  chunks: AsyncIterable<Buffer>
  format: PetFileFormat
  /** Imports the good lines where others are bad. Otherwise one bad line means that nothing is imported. */
  skipBad: boolean
  /** Does everything but the import itself. */
  dryRun: boolean
  /**
   * Told as they are found, by ascending line; last those whose id has been given while the file was read, of which `lines` are only the
   * first if there are very many.
   */
  onBad(lines: readonly BadLine[], count: number): void
  onProgress(progress: ImportProgress): void
}

interface ImportProgress {
  bytes: number
  /** Lines with an animal, good and bad. */
  read: number
  /** Everything is read: what is left is to write it. */
  isRead: boolean
}

export interface ImportReport {
  read: number
  /** In a dry run: how many would be. */
  imported: number
  firstId: bigint | undefined
  lastId: bigint | undefined
  badLines: number
  /** The first BAD_LINES_KEPT of them. */
  bad: BadLine[]
}

const READERS: Record<PetFileFormat, typeof readCsv> = { ndjson: readNdjson, csv: readCsv }

/**
 * Imports the animals of a file, all in one step, or none of them.
 * @throws Mistake when the file as a whole cannot be read
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
  const tell = (bad: readonly BadLine[], count = bad.length) => {
    if (count === 0) return
    report.badLines += count
    report.bad.push(...bad.slice(0, BAD_LINES_KEPT - report.bad.length))
    onBad(bad, count)
  }

  let bytes = 0
  const counted = count(request.chunks, length => {
    bytes += length
  })
  for await (const lines of READERS[request.format](readLines(counted), request)) {
    tell(await stage(run, lines))
    report.read += lines.length
    onProgress({ bytes, read: report.read, isRead: false })
  }
  onProgress({ bytes, read: report.read, isRead: true })

  if (report.badLines > 0 && !skipBad) return report
  const options = { skipRefused: skipBad }
  const entry = entryOf({ actor: request.actor, now: request.clock() }, 'pet.import', { file: request.name })
  const outcome = await (dryRun ? run.preview(options) : run.commit(entry, options))
  tell(outcome.refusedLines, outcome.refused)
  const { imported, firstId, lastId } = outcome
  return { ...report, imported, firstId, lastId }
}

/** @returns the bad ones, by line */
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
