import { conflict } from '../domain/errors.ts'
import { formatCount } from '../domain/format-number.ts'
import { type ImportMode, type ImportReport, PET_FILE_FORMATS } from '../domain/pet-files.ts'
import { importReportJson } from '../schema/responses/pet-files.ts'
import { parseFile } from './arguments.ts'
import type { Command } from './command.ts'
import { describeCategories, describeProblems, describeSkipped, findRemembered } from './import-report.ts'
import { printJson, printText } from './output/print.ts'
import { undoHint } from './pet-undo.ts'
import { addImportOptions, type FileFlags, formatOption, runImport } from './run-import.ts'

export function addPetImportCommand(pet: Command): void {
  const importing = pet
    .newCommand('import', 'Add all animals in a file, or none; or correct existing ones.')
    .argument(
      '<file>',
      'NDJSON (.ndjson, .jsonl), CSV (.csv, .tsv) or a workbook (.xlsx); - for standard input',
      parseFile,
    )
    .addOption(formatOption('format of the file, regardless of its name', PET_FILE_FORMATS))
    .option('--update', 'correct the animals with these ids instead of adding new ones')
  addImportOptions(importing).addHelpText('after', IMPORT_HELP).action(importFile)
}

interface ImportFlags extends FileFlags {
  update?: boolean
}

async function importFile(file: string, { update = false, ...flags }: ImportFlags): Promise<void> {
  const mode = update ? 'update' : 'add'
  const { report, name } = await runImport(file, flags, { mode })
  const { dryRun = false, skipBad = false, json } = flags
  const { badLines, unknownValues } = report
  const remembered = unknownValues.length > 0 ? await findRemembered(mode, report.columns) : undefined
  process.stderr.write(describeProblems(report, remembered))
  if (json) printJson({ ...importReportJson(report, { mode, dryRun, skipBad }), dryRun })
  if (badLines > 0 && !skipBad) {
    const outcome = dryRun ? 'Nothing would be changed' : 'Nothing was changed'
    throw conflict(`${outcome}: ${name} has ${formatCount(badLines, 'invalid line')}.`)
  }
  if (!json) printText(describeImport(report, name, mode, dryRun), ...undoHint(report.entryId))
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
you choose one or add --encoding. Of a workbook, the first filled, visible sheet
is read, or --sheet. It may have 128 MiB of different texts.

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
