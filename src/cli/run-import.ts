import { basename } from 'node:path'
import { Option } from 'commander'
import { type Config, loadConfig } from '../app/config.ts'
import { temporaryFolder } from '../app/temporary-folder.ts'
import type { BadLine } from '../domain/bad-lines.ts'
import { conflict, invalid, UserError } from '../domain/errors.ts'
import { recogniseForeignName } from '../domain/foreign-files.ts'
import { formatCount } from '../domain/format-number.ts'
import type { ImportProgress, ImportReport, PetFileFormat } from '../domain/pet-files.ts'
import type { PetTransfer } from '../domain/pet-transfer.ts'
import { systemReason } from '../domain/system-error.ts'
import { importFormatOfName } from '../pet-files/format.ts'
import type { ImportRequest } from '../pet-files/import-pets.ts'
import { UnknownColumns } from '../pet-files/unknown-columns.ts'
import { UnknownEncoding } from '../pet-files/unknown-encoding.ts'
import { IMPORT_OPTIONS, READING_OPTIONS, readingOf, TABLE } from '../schema/file-options.ts'
import { parseNamedFile } from './arguments.ts'
import { chooseEncoding } from './choose-encoding.ts'
import type { Command } from './command.ts'
import { addFileOptions, readTyped } from './file-options.ts'
import { findSource, keepPipe } from './import-source.ts'
import type { JsonOption } from './output/print.ts'
import { Progress } from './output/progress.ts'
import { plainLine } from './output/text.ts'
import { saveBadLines } from './save-bad-lines.ts'
import { untilInterrupted } from './until-interrupted.ts'
import { commandLineActor, requireStore } from './with-store.ts'

const MAX_LINES_SHOWN = 100

export function addImportOptions(command: Command): Command {
  addFileOptions(command, IMPORT_OPTIONS).option(
    '--bad-lines <file>',
    'write the invalid lines with the reasons to this CSV file',
    parseNamedFile,
  )
  return addFileOptions(command, READING_OPTIONS).option('--json', 'print the result as JSON')
}

export function formatOption(description: string, formats: readonly PetFileFormat[]): Option {
  return new Option('--format <format>', description).choices(formats)
}

export interface FileFlags extends JsonOption {
  format?: PetFileFormat
  dryRun?: boolean
  skipBad?: boolean
  badLines?: string
}

/** The settings, once it is known that they name a store. No file is opened before. */
export async function findStore(): Promise<Config> {
  const config = loadConfig()
  await requireStore(config)
  return config
}

/** Imports a file, and asks for its encoding if that must be given. */
export async function runImport(
  file: string,
  { format: chosen, dryRun = false, skipBad = false, badLines, json, ...typed }: FileFlags,
  kind: Pick<ImportRequest, 'mode' | 'sync'>,
): Promise<{ report: ImportReport; name: string }> {
  const foreign = chosen ? undefined : recogniseForeignName(file)
  if (foreign !== undefined) throw invalid(`${basename(file)} is ${foreign}`)
  const format = chosen ?? importFormatOfName(file, kind.sync && TABLE)
  const csv = readingOf(readTyped(typed, READING_OPTIONS, format))
  const config = await findStore()
  const settings = { ...kind, format, skipBad, dryRun, clock: Date.now, actor: commandLineActor(process.env) }
  await using opened = new AsyncDisposableStack()
  let source = findSource(file)
  const importIn = (encoding: string | undefined) =>
    untilInterrupted('Stopped: nothing was changed.', async signal => {
      try {
        // Loaded late, so that help and mistyped commands stay fast.
        const { openPetTransfer } = await import('../app/open-pet-transfer.ts')
        const transfer = await openPetTransfer(config)
        // The encoding is recognised before the lines are read, and a workbook is not read from its start to its end.
        const isReadAgain = format === 'xlsx' || badLines !== undefined || (format === 'csv' && encoding === undefined)
        if (source.isPipe && isReadAgain) {
          source = opened.use(await keepPipe(source, temporaryFolder(config), signal))
        }
        const { name, bytes = 0 } = source
        const open = (from?: number) => source.open(signal, from)
        const request = { ...settings, csv: { ...csv, encoding }, name, bytes, open, onProgress: () => {} }
        if (badLines !== undefined) {
          const { ensureNotStoreFile } = await import('../app/backup-restore.ts')
          await saveBadLines(transfer, request, badLines, () => ensureNotStoreFile(config.dataFolder, badLines))
        }
        return await importAndShow(transfer, request)
      } catch (error) {
        throw explainReading(error, file, kind.sync !== undefined)
      }
    })
  const report = await importIn(csv.encoding).catch(async error => {
    if (error instanceof UnknownEncoding) return importIn(await chooseEncoding(error.guesses, source.name, json))
    throw error
  })
  return { report, name: source.name }
}

async function importAndShow(transfer: PetTransfer, request: ImportRequest): Promise<ImportReport> {
  const { importAll } = await import('../pet-files/import-pets.ts')
  const progress = new Progress(process.stderr, () => performance.now())
  let [found, shown] = [0, 0]
  const onProgress = ({ bytes, read, badLines, isRead }: ImportProgress) => {
    const share = request.bytes > 0 ? Math.min(bytes / request.bytes, 1) : undefined
    found = badLines
    if (isRead) progress.showNow({ doing: request.dryRun ? 'Checking' : 'Writing', count: read })
    else progress.show({ doing: 'Reading', share, count: read })
  }
  const show = (lines: readonly BadLine[]) => {
    const first = lines.slice(0, MAX_LINES_SHOWN - shown)
    shown += first.length
    if (first.length > 0)
      progress.print(first.map(({ line, reason }) => `line ${line}: ${plainLine(reason)}\n`).join(''))
  }
  try {
    const report = await importAll(transfer, { ...request, onProgress }, show)
    found = report.badLines
    return report
  } finally {
    progress.clear()
    if (found > shown) progress.print(`and ${formatCount(found - shown, 'more invalid line')}\n`)
  }
}

/** Turns errors of the operating system into a message, and adds options that help; returns others unchanged. */
function explainReading(error: unknown, file: string, isSync: boolean): unknown {
  if (error instanceof UnknownColumns) return new UserError(error.kind, `${error.message} ${columnHint(error, isSync)}`)
  const reason = systemReason(error)
  return reason === undefined ? error : conflict(`${file} cannot be read (${reason}).`)
}

function columnHint({ missing, hasOtherSheets }: UnknownColumns, isSync: boolean): string {
  const ignoring = '--ignore-other-columns'
  if (missing === undefined) return `Add ${ignoring} to do so.`
  const naming = isSync && missing === 'id' ? '--key …' : `--column ${missing}=…`
  const choosing = hasOtherSheets ? 'Choose another sheet with --sheet …, or name' : 'Name'
  return `${choosing} the column of ${missing} with ${naming}, and ignore the rest with ${ignoring}.`
}
