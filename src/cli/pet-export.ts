import { createWriteStream } from 'node:fs'
import { type Command, Option } from 'commander'
import { parseConfig } from '../config.ts'
import { PET_STATUSES, type PetStatus } from '../domain/pet.ts'
import {
  checkCsvOption,
  formatOfName,
  PET_FILE_FORMATS,
  type PetFileFormat,
  STANDARD_STREAM,
} from '../pet-files/format.ts'
import { printJson } from './json.ts'
import { Progress } from './progress.ts'
import { formatCount, printText } from './text.ts'
import { untilInterrupted } from './until-interrupted.ts'
import { requireStore } from './with-store.ts'

interface Options {
  format?: PetFileFormat
  status?: PetStatus
  safeForSpreadsheets?: boolean
  force?: boolean
  json?: true
}

export function addPetExport(pet: Command): void {
  pet
    .command('export')
    .description('Write all animals, as they are at this moment, into a file.')
    .argument('<file>', 'NDJSON (.ndjson, .jsonl) or CSV (.csv); - for standard output')
    .addOption(new Option('--format <format>', 'what to write, whatever the name').choices(PET_FILE_FORMATS))
    .addOption(new Option('--status <status>', 'only animals with this status').choices(PET_STATUSES))
    .option('--safe-for-spreadsheets', 'CSV: let no name be taken for a formula')
    .option('--force', 'replace the file if it is there already')
    .option('--json', 'print as JSON what was written into the file')
    .addHelpText('after', EXAMPLES)
    .action(exportFile)
}

async function exportFile(
  file: string,
  { format, status, safeForSpreadsheets = false, force = false, json }: Options,
): Promise<void> {
  const config = parseConfig(process.env)
  await requireStore(config)
  const known = format ?? formatOfName(file)
  checkCsvOption(safeForSpreadsheets, known)
  const toFile = file !== STANDARD_STREAM
  const exported = await untilInterrupted(
    toFile ? 'Stopped; nothing was written.' : 'Stopped; the output is not complete.',
    async signal => {
      // Help and mistyped commands do not wait for these to be loaded.
      const { exportPets } = await import('../pet-files/export-pets.ts')
      const { writeWholeFile } = await import('../files/whole-file.ts')
      const { ensureIsNoStoreFile } = await import('../store-files.ts')
      const ensureFree = () => ensureIsNoStoreFile(config, file)
      const { openPetTransfer } = await import('../open-pet-transfer.ts')
      const transfer = await openPetTransfer(config)
      const progress = new Progress(process.stderr, () => performance.now())
      const run = await transfer.beginExport(status)
      const onProgress = (written: number) =>
        progress.show({ doing: 'Writing', share: run.count === 0 ? undefined : written / run.count, count: written })
      const request = { format: known, safeForSpreadsheets, signal, onProgress }
      try {
        if (toFile) {
          await writeWholeFile(file, { replace: force, ensureFree }, begun =>
            exportPets(run, createWriteStream(begun, { flush: true }), request),
          )
        } else await exportPets(run, process.stdout, request).catch(throwUnlessOfOutput)
        return run.count
      } finally {
        progress.clear()
        await run.close()
      }
    },
  )
  if (!toFile) return
  if (json) printJson({ file, format: known, exported })
  else printText(`Exported ${formatCount(exported, 'animal')} to ${file}.`)
}

/** That standard output cannot be written is told wherever it happens. */
function throwUnlessOfOutput(error: NodeJS.ErrnoException): void {
  if (error.syscall !== 'write') throw error
}

const EXAMPLES = `
One animal a line, by ascending id: what petstore pet import reads. Imported
into an empty store, the animals have the same ids.

With --safe-for-spreadsheets, a name that a spreadsheet would take for a formula
(it begins with = + - or @) gets an apostrophe before it. Import such a file
with the same option, which takes it off again.

The service may run meanwhile; what it changes after the start is not in the
file. The file has its name only when all of it is written.

Examples:
  $ petstore pet export pets.csv
  $ petstore pet export pets.csv --safe-for-spreadsheets
  $ petstore pet export sold.ndjson --status sold --force
  $ petstore pet export - --format ndjson | gzip > pets.ndjson.gz`
