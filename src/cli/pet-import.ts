import { createReadStream, type Stats, statSync } from 'node:fs'
import { basename } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { type Command, Option } from 'commander'
import { parseConfig } from '../config.ts'
import { Mistake } from '../domain/errors.ts'
import type { BadLine } from '../domain/pet-transfer.ts'
import {
  checkCsvOption,
  formatOfName,
  PET_FILE_FORMATS,
  type PetFileFormat,
  STANDARD_STREAM,
} from '../pet-files/format.ts'
import type { ImportReport } from '../pet-files/import-pets.ts'
import { commandLineActor } from './actor.ts'
import { printJson } from './json.ts'
import { Progress } from './progress.ts'
import { formatCount, plainLine, printText } from './text.ts'
import { untilInterrupted } from './until-interrupted.ts'
import { requireStore } from './with-store.ts'

interface Options {
  format?: PetFileFormat
  dryRun?: boolean
  safeForSpreadsheets?: boolean
  skipBad?: boolean
  json?: true
}

/** How many bad lines a person is shown. */
const BAD_LINES_SHOWN = 100

export function addPetImport(pet: Command): void {
  pet
    .command('import')
    .description('Add the animals of a file: all of them in one step, or none.')
    .argument('<file>', 'NDJSON (.ndjson, .jsonl) or CSV (.csv); - for standard input')
    .addOption(new Option('--format <format>', 'what the file is, whatever its name').choices(PET_FILE_FORMATS))
    .option('--dry-run', 'check everything, import nothing')
    .option('--safe-for-spreadsheets', 'CSV: the file was exported with this option')
    .option('--skip-bad', 'import the good lines even if others are bad')
    .option('--json', 'print the outcome as JSON')
    .addHelpText('after', EXAMPLES)
    .action(importFile)
}

async function importFile(
  file: string,
  { format, dryRun = false, safeForSpreadsheets = false, skipBad = false, json }: Options,
): Promise<void> {
  const config = parseConfig(process.env)
  const known = format ?? formatOfName(file)
  checkCsvOption(safeForSpreadsheets, known)
  await requireStore(config)
  const source = openSource(file)
  const report = await untilInterrupted('Stopped; nothing was imported.', async signal => {
    // Help and mistyped commands do not wait for these to be loaded.
    const { importPets } = await import('../pet-files/import-pets.ts')
    const { openPetTransfer } = await import('../open-pet-transfer.ts')
    const progress = new Progress(process.stderr, () => performance.now())
    const badLines = new BadLines(progress)
    try {
      return await importPets(await openPetTransfer(config), {
        actor: commandLineActor(process.env),
        clock: Date.now,
        name: source.name,
        chunks: addAbortSignal(signal, source.stream),
        format: known,
        safeForSpreadsheets,
        skipBad,
        dryRun,
        onBad: (lines, count) => badLines.show(lines, count),
        onProgress: ({ bytes, read, isRead }) => {
          const share = source.bytes ? Math.min(bytes / source.bytes, 1) : undefined
          if (isRead) progress.showNow({ doing: dryRun ? 'Checking' : 'Writing', count: read })
          else progress.show({ doing: 'Reading', share, count: read })
        },
      })
    } catch (error) {
      throw explained(error, file)
    } finally {
      progress.clear()
      badLines.showRest()
    }
  })
  if (json) printJson({ ...report, firstId: report.firstId ?? null, lastId: report.lastId ?? null, dryRun })
  if (report.badLines > 0 && !skipBad) {
    const outcome = dryRun ? 'Nothing would be imported' : 'Nothing was imported'
    throw new Mistake('invalid', `${outcome}: ${source.name} has ${formatCount(report.badLines, 'bad line')}.`)
  }
  if (!json) printText(describe(report, source.name, dryRun))
}

interface Source {
  name: string
  stream: Readable
  /** Undefined where nobody knows. */
  bytes: number | undefined
}

function openSource(file: string): Source {
  if (file === STANDARD_STREAM) return { name: 'standard input', stream: process.stdin, bytes: undefined }
  const there = find(file)
  if (!there) throw new Mistake('not_found', `There is no file ${file}.`)
  if (there.isDirectory()) throw new Mistake('invalid', `${file} is a folder; name a file.`)
  return { name: basename(file), stream: createReadStream(file), bytes: there.isFile() ? there.size : undefined }
}

function find(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch (error) {
    throw explained(error, file)
  }
}

/** What the operating system says of a file that cannot be read. */
function explained(error: unknown, file: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  return code && syscall ? new Mistake('invalid', `${file} cannot be read (${code}).`) : error
}

/** Shows bad lines as they are found, and in the end how many more there are. */
class BadLines {
  readonly #progress: Progress
  #shown = 0
  #count = 0

  constructor(progress: Progress) {
    this.#progress = progress
  }

  show(lines: readonly BadLine[], count: number): void {
    const more = lines.slice(0, BAD_LINES_SHOWN - this.#shown)
    this.#count += count
    this.#shown += more.length
    if (more.length > 0)
      this.#progress.print(more.map(({ line, reason }) => `line ${line}: ${plainLine(reason)}\n`).join(''))
  }

  showRest(): void {
    const rest = this.#count - this.#shown
    if (rest > 0) this.#progress.print(`and ${formatCount(rest, 'more bad line')}\n`)
  }
}

function describe({ imported, firstId, lastId, badLines }: ImportReport, name: string, dryRun: boolean): string {
  const left = badLines > 0 ? ` Left out: ${formatCount(badLines, 'bad line')}.` : ''
  if (imported === 0) return `There is nothing to import in ${name}.${left}`
  const ids = imported === 1 ? `id ${firstId}` : `ids from ${firstId} to ${lastId}`
  return `${dryRun ? 'Would import' : 'Imported'} ${formatCount(imported, 'animal')} from ${name}, ${ids}.${left}`
}

const EXAMPLES = `
One animal a line, as the API has it, such as
  {"name":"Rex","categoryId":7,"status":"available"}
or, below a line that names the columns in any order,
  name,categoryId,status
  Rex,7,available
A status that is left out means available. An id may be given, so that what was
exported keeps its ids; it must be higher than any that this store has given.

Every bad line is told with its number and its reason. One is enough for nothing
to be imported, and for exit code 1, unless --skip-bad is given.

The service may run meanwhile. Until all is read, the animals wait in a
temporary file (in TMPDIR); then they are written in one step, while creations
wait: about a second for 1,000,000 animals. In PostgreSQL they wait in a
temporary table, and the step takes several seconds: creations that would wait
for more than two are answered 503. Files of 200,000 animals keep it short.

Examples:
  $ petstore pet import pets.csv --dry-run
  $ petstore pet import pets.csv
  $ zcat pets.ndjson.gz | petstore pet import - --format ndjson --json`
