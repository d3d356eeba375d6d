import { createWriteStream } from 'node:fs'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { formatCount } from '../domain/format-number.ts'
import { type ExportOptions, PET_FILE_FORMATS, type PetFileFormat } from '../domain/pet-files.ts'
import type { PetExport } from '../domain/pet-transfer.ts'
import { delimiterOfName, formatOfName, STANDARD_STREAM } from '../pet-files/format.ts'
import { WRITING_OPTIONS } from '../schema/file-options.ts'
import { parseFile } from './arguments.ts'
import type { Command } from './command.ts'
import { addFileOptions, readTyped, type TypedOptions } from './file-options.ts'
import { ignoreOutputErrors, type JsonOption, print } from './output/print.ts'
import { Progress } from './output/progress.ts'
import { addConditionOptions, conditionsOf, type PetFilterOptions } from './pet-filter.ts'
import { findStore, formatOption } from './run-import.ts'
import { untilInterrupted } from './until-interrupted.ts'

export function addPetExportCommand(pet: Command): void {
  const exporting = pet
    .newCommand('export', 'Write a snapshot of all animals, or of those that meet all conditions, to a file.')
    .argument(
      '<file>',
      'NDJSON (.ndjson, .jsonl), CSV (.csv, .tsv) or a workbook (.xlsx); - for standard output',
      parseFile,
    )
    .addOption(formatOption('format to write, regardless of the name of the file', PET_FILE_FORMATS))
  addFileOptions(addConditionOptions(exporting), WRITING_OPTIONS)
    .option('--force', 'replace the file if it exists')
    .json('print the result as JSON', EXPORT_HELP)
    .action(exportFile)
}

interface ExportFlags extends JsonOption, PetFilterOptions {
  format?: PetFileFormat
  force?: boolean
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
    const batches = showWritten(run, progress)
    const write = (output: Writable) =>
      pipeline(yieldBetweenParts(exportPets({ ...run, batches }, { ...options, format })), output, {
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

async function* showWritten({ batches, count }: PetExport, progress: Progress): PetExport['batches'] {
  let written = 0
  for await (const pets of batches) {
    yield pets
    written += pets.length
    progress.show({ doing: 'Writing', share: written / count, count: written })
  }
}

/** Writes to standard output may never block, so this yields to the event loop, which handles signals. */
async function* yieldBetweenParts<Part>(parts: AsyncIterable<Part>): AsyncIterable<Part> {
  for await (const part of parts) {
    yield part
    await setImmediate()
  }
}

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
