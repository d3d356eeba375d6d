import { createWriteStream } from 'node:fs'
import { basename } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { type Config, loadConfig } from '../app/config.ts'
import { temporaryFolder } from '../app/temporary-folder.ts'
import type { AuditEntry } from '../domain/audit.ts'
import type { BadLine, BadLineReason, UnknownValue } from '../domain/bad-lines.ts'
import { findMeanings, MAX_IMPORTS_SEARCHED, type RememberedMeanings } from '../domain/describe-columns.ts'
import { UserError } from '../domain/errors.ts'
import { recogniseForeignName } from '../domain/foreign-files.ts'
import {
  type ExportOptions,
  type ImportMode,
  type ImportProgress,
  type ImportReport,
  PET_FILE_FORMATS,
  type PetFileFormat,
} from '../domain/pet-files.ts'
import type { PetTransfer } from '../domain/pet-transfer.ts'
import { shellQuote } from '../domain/shell-quote.ts'
import { systemReason } from '../domain/system-error.ts'
import { isoTime } from '../domain/time.ts'
import { delimiterOfName, formatOfName, importFormatOfName, STANDARD_STREAM } from '../pet-files/format.ts'
import type { ImportRequest } from '../pet-files/import-pets.ts'
import { UnknownEncoding } from '../pet-files/unknown-encoding.ts'
import { IMPORT_OPTIONS, READING_OPTIONS, readingOf, WRITING_OPTIONS } from '../schema/file-options.ts'
import { chooseEncoding } from './choose-encoding.ts'
import { addFileOptions, readTyped, type TypedOptions } from './file-options.ts'
import { findSource, keepPipe } from './import-source.ts'
import { ignoreOutputErrors, type JsonOption, print, printJson, printText } from './output/print.ts'
import { Progress } from './output/progress.ts'
import { formatCount, plainLine } from './output/text.ts'
import { addConditionOptions, conditionsOf, type PetFilterOptions } from './pet-filter.ts'
import { undoHint } from './pet-undo.ts'
import { saveBadLines } from './save-bad-lines.ts'
import { untilInterrupted } from './until-interrupted.ts'
import { commandLineActor, requireStore, withStore } from './with-store.ts'

const MAX_LINES_SHOWN = 100
const MAX_WORDS_SHOWN = 20

export function addPetFileCommands(pet: Command): void {
  const importing = pet
    .command('import')
    .description('Add all animals in a file, or none; or correct existing ones.')
    .argument('<file>', 'NDJSON (.ndjson, .jsonl), CSV (.csv, .tsv) or a workbook (.xlsx); - for standard input')
    .addOption(formatOption('format of the file, regardless of its name', PET_FILE_FORMATS))
    .option('--update', 'correct the animals with these ids instead of adding new ones')
  addImportOptions(importing).addHelpText('after', IMPORT_HELP).action(importFile)

  const exporting = pet
    .command('export')
    .description('Write a snapshot of all animals, or of those that meet all conditions, to a file.')
    .argument('<file>', 'NDJSON (.ndjson, .jsonl), CSV (.csv, .tsv) or a workbook (.xlsx); - for standard output')
    .addOption(formatOption('format to write, regardless of the name of the file', PET_FILE_FORMATS))
  addFileOptions(addConditionOptions(exporting), WRITING_OPTIONS)
    .option('--force', 'replace the file if it exists')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXPORT_HELP)
    .action(exportFile)
}

/** Adds the options of everything that reads a file of animals. */
export function addImportOptions(command: Command): Command {
  addFileOptions(command, IMPORT_OPTIONS).option(
    '--bad-lines <file>',
    'write the invalid lines with the reasons to this CSV file',
  )
  return addFileOptions(command, READING_OPTIONS).option('--json', 'print the result as JSON')
}

export interface FileFlags extends JsonOption {
  format?: PetFileFormat
  dryRun?: boolean
  skipBad?: boolean
  badLines?: string
}

interface ImportFlags extends FileFlags {
  update?: boolean
}

interface ExportFlags extends JsonOption, PetFilterOptions {
  format?: PetFileFormat
  force?: boolean
}

export function formatOption(description: string, formats: readonly PetFileFormat[]): Option {
  return new Option('--format <format>', description).choices(formats)
}

/** The settings, once it is known that they name a store. No file is opened before. */
async function findStore(): Promise<Config> {
  const config = loadConfig()
  await requireStore(config)
  return config
}

async function importFile(file: string, { update = false, ...flags }: ImportFlags): Promise<void> {
  const mode = update ? 'update' : 'add'
  const { report, name } = await runImport(file, flags, { mode })
  const { dryRun = false, skipBad, json } = flags
  const { read, imported, firstId = null, lastId = null, entryId = null, updated, unchanged } = report
  const { badLines, bad, reasons, unknownValues, newCategories } = report
  const remembered = unknownValues.length > 0 ? await findRemembered(mode, report.columns) : undefined
  process.stderr.write(describeProblems(report, remembered))
  if (json) {
    const counts = { read, imported, firstId, lastId, entryId, updated, unchanged, badLines }
    printJson({ ...counts, bad, reasons, unknownValues, newCategories, dryRun })
  }
  if (badLines > 0 && !skipBad) {
    const outcome = dryRun ? 'Nothing would be imported' : 'Nothing was imported'
    throw new UserError('conflict', `${outcome}: ${name} has ${formatCount(badLines, 'invalid line')}.`)
  }
  if (!json) printText(describeImport(report, name, mode, dryRun), ...undoHint(report.entryId))
}

/** Imports a file, and asks for its encoding if that must be given. */
export async function runImport(
  file: string,
  { format: chosen, dryRun = false, skipBad = false, badLines, json, ...typed }: FileFlags,
  kind: Pick<ImportRequest, 'mode' | 'sync'>,
): Promise<{ report: ImportReport; name: string }> {
  const foreign = chosen ? undefined : recogniseForeignName(file)
  if (foreign !== undefined) throw new UserError('invalid', `${basename(file)} is ${foreign}`)
  const format = chosen ?? importFormatOfName(file)
  const csv = readingOf(readTyped(typed, READING_OPTIONS, format))
  const config = await findStore()
  const settings = { ...kind, format, skipBad, dryRun, clock: Date.now, actor: commandLineActor(process.env) }
  await using opened = new AsyncDisposableStack()
  let source = findSource(file)
  const importIn = (encoding: string | undefined) =>
    untilInterrupted('Stopped: nothing was imported.', async signal => {
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
        throw explainReading(error, file)
      }
    })
  const report = await importIn(csv.encoding).catch(async error => {
    if (error instanceof UnknownEncoding) return importIn(await chooseEncoding(error.guesses, source.name, json))
    throw error
  })
  return { report, name: source.name }
}

/** Shows progress and invalid lines. */
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
    if (first.length > 0) progress.print(first.map(formatInvalidLine).join(''))
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

/** Turns errors of the operating system into a message; returns others unchanged. */
function explainReading(error: unknown, file: string): unknown {
  const reason = systemReason(error)
  return reason === undefined ? error : new UserError('conflict', `${file} cannot be read (${reason}).`)
}

function formatInvalidLine({ line, reason }: BadLine): string {
  return `line ${line}: ${plainLine(reason)}\n`
}

/** By reason, if several lines have the same one, and what to do about unknown words. */
export function describeProblems({ badLines, reasons, unknownValues }: ImportReport, remembered?: Remembered): string {
  const isShort = reasons.length >= badLines
  const shown = unknownValues.slice(0, MAX_WORDS_SHOWN)
  const more = unknownValues.length - shown.length
  return [
    ...(isShort ? [] : reasons.map(({ reason, ...lines }) => `${formatLines(lines)}: ${plainLine(reason)}`)),
    ...shown.map(one => formatUnknown(one, remembered)),
    ...(more > 0 ? [`and ${formatCount(more, 'more unknown word')}`] : []),
  ]
    .map(line => `${line}\n`)
    .join('')
}

type Remembered = RememberedMeanings<AuditEntry> | undefined

/** What words meant in the last file with the same columns. It is only shown, so that the same command always does the same. */
function findRemembered(mode: ImportMode, columns: readonly string[]): Promise<Remembered> {
  const action = mode === 'add' ? ('pet.import' as const) : ('pet.update' as const)
  return withStore(async store => findMeanings(await store.listAudit({ action, limit: MAX_IMPORTS_SEARCHED }), columns))
}

function formatUnknown({ member, value, ...lines }: UnknownValue, remembered: Remembered): string {
  const word = `${member}:${value.replaceAll(/\s+/g, ' ')}`
  const meaning = remembered?.meanings.get(word.toLowerCase())
  if (remembered && meaning !== undefined) {
    const option = shellQuote(plainLine(`${word}=${meaning}`))
    const day = isoTime(remembered.entry.at).slice(0, 10)
    return `"${plainLine(value)}", ${formatLines(lines)}: add --value ${option} if it means the same as on ${day}`
  }
  const option = shellQuote(`${member}:${plainLine(value)}=…`)
  const orNew = member === 'categoryId' ? ', or --new-categories' : ''
  return `"${plainLine(value)}", ${formatLines(lines)}: choose what it means with --value ${option}${orNew}`
}

function formatLines({ count, firstLines }: Pick<BadLineReason, 'count' | 'firstLines'>): string {
  const more = count > firstLines.length ? ', …' : ''
  return `${formatCount(count, 'line')} (${firstLines.join(', ')}${more})`
}

function describeImport(report: ImportReport, name: string, mode: ImportMode, dryRun: boolean): string {
  const { imported, firstId, lastId, updated, unchanged } = report
  const others = unchanged > 0 ? ` ${formatCount(unchanged, 'animal')} needed no correction.` : ''
  const rest = describeCategories(report, dryRun) + others + describeSkipped(report)
  if (mode === 'update') {
    if (updated === 0) return `There is nothing to correct in ${name}.${rest}`
    return `${dryRun ? 'Would correct' : 'Corrected'} ${formatCount(updated, 'animal')} from ${name}.${rest}`
  }
  if (imported === 0) return `There is nothing to import in ${name}.${rest}`
  const ids = imported === 1 ? `id ${firstId}` : `ids ${firstId} to ${lastId}`
  return `${dryRun ? 'Would import' : 'Imported'} ${formatCount(imported, 'animal')} from ${name}, ${ids}.${rest}`
}

export function describeSkipped({ badLines }: ImportReport): string {
  return badLines > 0 ? ` Skipped ${formatCount(badLines, 'invalid line')}.` : ''
}

export function describeCategories({ newCategories }: ImportReport, dryRun: boolean): string {
  if (newCategories.length === 0) return ''
  const listed = newCategories.map(({ id, label }) => `${id} (${plainLine(label)})`).join(', ')
  return ` New categories${dryRun ? ' would be' : ''}: ${listed}.`
}

async function exportFile(
  file: string,
  { format: chosen, force = false, json, ...flags }: ExportFlags & TypedOptions,
): Promise<void> {
  const format = chosen ?? formatOfName(file)
  const options = {
    delimiter: delimiterOfName(file),
    ...readTyped<Partial<ExportOptions>>(flags, WRITING_OPTIONS, format),
  }
  const config = await findStore()
  const toFile = file !== STANDARD_STREAM
  const stopped = toFile ? 'Stopped: nothing was written.' : 'Stopped: the output is incomplete.'
  const exported = await untilInterrupted(stopped, async signal => {
    // Loaded late, so that help and mistyped commands stay fast.
    const { exportPets } = await import('../pet-files/export-pets.ts')
    const { writeAtomically } = await import('../files/write-atomically.ts')
    const { ensureNotStoreFile } = await import('../app/backup-restore.ts')
    const { openPetTransfer } = await import('../app/open-pet-transfer.ts')
    const transfer = await openPetTransfer(config)
    const progress = new Progress(process.stderr, () => performance.now())
    const run = await transfer.beginExport(conditionsOf(flags), options.externalIds)
    const onProgress = (written: number) =>
      progress.show({ doing: 'Writing', share: run.count === 0 ? undefined : written / run.count, count: written })
    const write = (output: Writable) =>
      pipeline(yieldBetweenParts(exportPets(run, { ...options, format, onProgress })), output, {
        signal,
        end: output !== process.stdout,
      })
    const ensureAllowed = () => ensureNotStoreFile(config.dataFolder, file)
    try {
      if (toFile) {
        await writeAtomically(file, { replace: force, ensureAllowed }, path =>
          write(createWriteStream(path, { flush: true })),
        )
      } else await write(process.stdout).catch(ignoreOutputErrors)
      return run.count
    } finally {
      progress.clear()
      await run.close()
    }
  })
  if (!toFile) return
  print(json, { file, format, exported }, `Exported ${formatCount(exported, 'animal')} to ${file}.`)
}

/** Writes to standard output may never block, so this yields to the event loop, which handles signals. */
async function* yieldBetweenParts<Part>(parts: AsyncIterable<Part>): AsyncIterable<Part> {
  for await (const part of parts) {
    yield part
    await setImmediate()
  }
}

const IMPORT_HELP = `
The file has one animal per line, either as JSON, such as
  {"name":"Rex","categoryId":7,"status":"available"}
or as CSV with a header line, with the columns in any order:
  name,categoryId,status
  Rex,7,available
Without a status, an animal is available. A line may have an id, so that
exported animals keep theirs; ids must be higher than any this store has used.

A table may come from a spreadsheet, as a workbook or as CSV. In CSV, commas,
semicolons, tabs and vertical bars are recognised, as are UTF-8 and UTF-16. If
it has another encoding, the likely ones are shown with some lines in each, and
you choose one or add --encoding. Of a workbook, the first visible sheet is
read, or --sheet. It may have 128 MiB of different texts.

Columns are recognised by their usual names, such as "Animal Name" or Species;
add --column for others. Without --update, ids must be in a column called id. A
status may be in any case, and a category may be a number or a label. --value
says what other words mean; --new-categories gives unknown categories the next
free numbers, and labels them. 7.0 is 7.

With --update, each line has the id of an animal and its new values. Values that
are empty or left out do not change. A name that is the present one, damaged by
a wrong encoding, is invalid.

Every invalid line is reported with its number and the reason. A single one
aborts the import with exit code 1, unless --skip-bad is given. Unknown words
are listed, the most frequent first. If one had a meaning in the last file with
the same columns, the --value that gives it again is shown. It is never used
unasked, so that a script always does the same. --bad-lines writes the invalid
lines to a file, with one more column for the reasons; correct and import it.

A categoryLabel beside a categoryId, as exports have it, must be the label of
that number; change both, or leave one of them empty.

Importing is safe while the service runs. Animals are first read into a
temporary file (in TMPDIR, otherwise in /var/tmp), then written in one step.
Creations wait during that step: about a second for 1,000,000 animals. With
PostgreSQL, animals are read into a temporary table, and the step takes several
seconds; creations that wait longer than two seconds get a 503. An --update of
1,000,000 animals takes 3 to 5 seconds with SQLite, where a creation can get a
503, too. Files of 200,000 animals keep the step short.

Examples:
  $ petstore pet import pets.csv --dry-run
  $ petstore pet import pets.csv
  $ petstore pet import pets.csv --column name=Rufname --default-category 7
  $ petstore pet import list.xlsx --sheet Cats --new-categories
  $ petstore pet import list.csv --value status:Adopted=sold
  $ petstore pet import list.xlsx --skip-bad --bad-lines to-correct.csv
  $ petstore pet import corrections.csv --update
  $ zcat pets.ndjson.gz | petstore pet import - --format ndjson --json`

const EXPORT_HELP = `
The file has one animal per line, by ascending id, in the format of petstore pet
import. When imported into an empty store, the animals keep their ids.

A workbook opens in every spreadsheet program, and can have 1,048,575 animals.
It has the labels of categories beside their numbers, as CSV has with
--category-labels. Imported with --update, an exported file changes nothing.

With --external-ids, the columns source and externalId have the source that has
added the animal, and its id there. An import skips them beside a column id.

CSV begins with a byte order mark, also on standard output, so that spreadsheets
read it as UTF-8. Programs must skip the mark, as petstore pet import does.
NDJSON has none.

With --safe-for-spreadsheets, an apostrophe precedes what a spreadsheet would
read as a formula: = + - or @ at the start of a name, or after a comma,
semicolon, tab or vertical bar in it. To remove the apostrophes, import the file
with the same option.

Exporting is safe while the service runs; later changes are not in the file. The
file appears under its name only when it is complete.

Examples:
  $ petstore pet export pets.csv
  $ petstore pet export animals.xlsx --status available
  $ petstore pet export pets.csv --safe-for-spreadsheets
  $ petstore pet export sold.ndjson --status sold --force
  $ petstore pet export cats.csv --name cat --category 1 --delimiter semicolon
  $ petstore pet export - --format ndjson | gzip > pets.ndjson.gz`
