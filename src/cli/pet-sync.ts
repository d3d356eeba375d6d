import { conflict } from '../domain/errors.ts'
import { formatCount } from '../domain/format-number.ts'
import type { ImportReport, SyncTerms } from '../domain/pet-files.ts'
import { parseSourceName } from '../domain/source.ts'
import { SYNC_OPTIONS, TABLE } from '../schema/file-options.ts'
import { syncReportJson } from '../schema/responses/sources.ts'
import { asArgument, parseFile } from './arguments.ts'
import type { Command } from './command.ts'
import { addFileOptions, readTyped, type TypedOptions } from './file-options.ts'
import { describeCategories, describeProblems, describeSkipped } from './import-report.ts'
import { printJson, printText } from './output/print.ts'
import { undoHint } from './pet-undo.ts'
import { addImportOptions, type FileFlags, formatOption, runImport } from './run-import.ts'

export function addPetSyncCommand(pet: Command): void {
  const syncing = pet
    .newCommand('sync', 'Make the animals of a source as in its file: a feed of other software.')
    .argument('<file>', 'CSV (.csv, .tsv) or a workbook (.xlsx); - for standard input', parseFile)
    .requiredOption('--source <source>', 'the source, created if it is new (required)', asArgument(parseSourceName))
    .addOption(formatOption('format of the file, regardless of its name', TABLE))
  addFileOptions(syncing, SYNC_OPTIONS)
  addImportOptions(syncing).addHelpText('after', SYNC_HELP).action(syncFile)
}

async function syncFile(
  file: string,
  { source, ...flags }: FileFlags & TypedOptions & { source: string },
): Promise<void> {
  const sync = { ...readTyped<Partial<SyncTerms>>(flags, SYNC_OPTIONS), source, mayCreate: true }
  const { report, name } = await runImport(file, flags, { mode: 'add', sync })
  const { dryRun = false, json } = flags
  process.stderr.write(describeProblems(report))
  if (json) printJson(syncReportJson(report, { dryRun }))
  if (report.refusal !== undefined) {
    throw conflict(`${dryRun ? 'Nothing would be changed' : 'Nothing was changed'}: ${report.refusal}`)
  }
  if (!json) printText(describeSync(report, name, dryRun), ...undoHint(report.entryId))
}

function describeSync(report: ImportReport, name: string, dryRun: boolean): string {
  const { imported, updated, returned, removed, unchanged } = report
  const counts = [
    [imported, 'added'],
    [updated, 'corrected'],
    [returned, 'returned'],
    [removed, 'removed'],
    [unchanged, 'unchanged'],
  ] as const
  const done = counts.filter(([count]) => count > 0).map(([count, what]) => `${formatCount(count, 'animal')} ${what}`)
  const rest = describeCategories(report, dryRun) + describeSkipped(report)
  const head = dryRun ? `${name} would have this effect` : `The source is as in ${name}`
  return `${head}: ${done.join(', ') || 'no animals'}.${rest}`
}

const SYNC_HELP = `
The file has all animals of a shelter, each with an id of the software that
writes it. New ids are added, changed animals are corrected, and missing ones
become sold, or with --missing delete or keep, are deleted or stay. One that
comes back is available again, under its own id. Only animals that earlier files
of the same source have added are changed. The whole sync is one entry of the
audit log, which petstore pet undo takes back.

Files as shelter software writes them for Petfinder and RescueGroups need no
other option: other columns are ignored, and statuses such as A, H and X, or
Adoptable, Hold and Adopted, are known. Categories match by label; see --value
and --new-categories. Other files are read as by petstore pet import; the ids
are in a column such as ID, externalID or animalID, or --key.

A file that would remove too many animals is refused as a whole: by default,
more than 10% of those not sold yet, or more than 2 if that is more, or all of
them. --max-removals takes a number or a share, which is exact: 10% of 3 animals
is none. An empty file with a header lacks all animals.

An id that is in several lines makes all of them invalid. With --skip-bad, the
animals of invalid lines stay as they are; if a line has no id, no animal counts
as missing. Do not send the file of --bad-lines as a feed: it has only some of
the animals. Correct the lines where they come from.

A new source keeps --key, --missing and --max-removals; petstore source set
changes them, and says what words mean in all files of a source.

Examples:
  $ petstore pet sync petfinder.csv --source riverside --dry-run
  $ petstore pet sync petfinder.csv --source riverside --new-categories
  $ petstore pet sync animals.csv --source riverside --key AnimalID
  $ petstore pet sync animals.csv --source riverside --max-removals 40 --json`
