import { PROBLEM_COLUMN } from '../domain/describe-columns.ts'
import { guard } from '../domain/formula-guard.ts'
import { PET_MEMBERS } from '../domain/pet-files.ts'
import type { PetTransfer } from '../domain/pet-transfer.ts'
import { BYTE_ORDER_MARK, formatCsvRow } from '../schema/csv-rows.ts'
import { readRows } from './csv.ts'
import { DELIMITERS } from './delimiter.ts'
import { decode } from './encoding.ts'
import { type ImportRequest, importPets, openTable } from './import-pets.ts'
import { readLines } from './lines.ts'
import { parseAsWritten } from './ndjson.ts'

/**
 * Yields the lines of a file that cannot be imported as CSV for a spreadsheet, one row for each, as they are found: with the columns of the file,
 * and one more that says what is wrong. Once they are corrected, this file can be imported. Imports nothing itself.
 * @throws UserError when the file as a whole cannot be read, before anything is yielded
 */
export async function* writeBadLines(transfer: PetTransfer, request: ImportRequest): AsyncGenerator<string, void> {
  await using original = new Original(request)
  let isBegun = false
  // Lines that only the last step of an import refuses are listed, too.
  for await (const lines of importPets(transfer, { ...request, dryRun: true, skipBad: true })) {
    const rows: string[] = []
    for (const { line, reason } of lines) rows.push(await original.format(line, `line ${line}: ${reason}`))
    yield (isBegun ? '' : await original.header()) + rows.join('')
    isBegun = true
  }
  if (!isBegun) yield await original.header()
}

type Row = { line: number; values?: readonly string[] }

/** The rows of the file, which are read once more, beside the import. */
class Original implements AsyncDisposable {
  readonly #request: ImportRequest
  #rows: AsyncIterator<Row> | undefined
  #row: Row | undefined
  #names: readonly string[] = PET_MEMBERS
  #delimiter = ','

  constructor(request: ImportRequest) {
    this.#request = request
  }

  async header(): Promise<string> {
    if (!this.#rows) await this.#advance()
    return BYTE_ORDER_MARK + this.#format(this.#names, PROBLEM_COLUMN)
  }

  /** Without values if the line cannot be read. Lines are usually asked for in the order of the file. */
  async format(line: number, problem: string): Promise<string> {
    if (this.#row && this.#row.line > line) await this[Symbol.asyncDispose]()
    while (!this.#rows || (this.#row && this.#row.line < line)) await this.#advance()
    return this.#format((this.#row?.line === line && this.#row.values) || [], problem)
  }

  /** It can be read again. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#rows?.return?.()
    this.#rows = undefined
  }

  #format(values: readonly string[], problem: string): string {
    const kept = this.#names.flatMap((name, at) => (name === PROBLEM_COLUMN ? [] : [values[at] ?? '']))
    return `${formatCsvRow([...kept, problem].map(guard), this.#delimiter)}\r\n`
  }

  async #advance(): Promise<void> {
    this.#rows ??= this.#read()
    const { done, value } = await this.#rows.next()
    this.#row = done ? undefined : value
  }

  async *#read(): AsyncGenerator<Row, void> {
    if (this.#request.format === 'ndjson') yield* readObjects(this.#request)
    else {
      const tables = await openTable(this.#request)
      // The import has checked the columns.
      const reading = { ...this.#request.csv, ignoreOtherColumns: true }
      for await (const { columns, delimiter, records } of readRows(tables, reading, { required: [] })) {
        this.#names = columns.names
        // Spreadsheets open such a file as they wrote the original, but a .csv file with tabs as one column.
        if (delimiter && delimiter !== 'tab') this.#delimiter = DELIMITERS[delimiter]
        yield* records
      }
    }
  }
}

/** The members of each object, in the columns of an animal. */
async function* readObjects({ open }: ImportRequest): AsyncGenerator<Row, void> {
  for await (const lines of readLines(decode(open()))) {
    for (const { number, bytes } of lines) {
      const members = parseObject(bytes)
      yield { line: number, values: PET_MEMBERS.map(name => textOf(members[name])) }
    }
  }
}

function parseObject(json: Buffer = Buffer.alloc(0)): Record<string, unknown> {
  try {
    return { ...parseAsWritten(json) }
  } catch {
    return {}
  }
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
}
