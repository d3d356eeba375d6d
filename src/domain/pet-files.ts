import type { Actor } from './audit.ts'
import type { BadLine, BadLineReason, UnknownValue } from './bad-lines.ts'
import { MEMBER_NAMES, MEMBERS, type MemberName, type NewPet } from './pet.ts'
import type { PetFilter } from './pet-selection.ts'
import type { RepeatableRequest } from './repeatable-request.ts'
import type { MissingRule } from './source.ts'
import type { Category } from './store/animals.ts'
import type { ValueMeaning } from './value-meaning.ts'

export const PET_FILE_FORMATS = ['ndjson', 'csv', 'xlsx'] as const
export type PetFileFormat = (typeof PET_FILE_FORMATS)[number]

/** The members of an animal in a file. */
export const PET_MEMBERS = ['id', ...MEMBER_NAMES] as const
export type PetMember = (typeof PET_MEMBERS)[number]

export function kindOf(member: PetMember): 'text' | 'word' | 'int64' {
  return member === 'id' ? 'int64' : MEMBERS[member].kind
}

/** If none is given, the delimiter of a CSV file is detected from its header. */
export const CSV_DELIMITERS = ['comma', 'semicolon', 'tab', 'pipe'] as const
export type CsvDelimiter = (typeof CSV_DELIMITERS)[number]

/** What the lines of an import are: new animals, or corrections of the animals with the same ids. */
export const IMPORT_MODES = ['add', 'update'] as const
export type ImportMode = (typeof IMPORT_MODES)[number]

/** How much of a CSV file a preview reads. Of a workbook, it needs all. */
export const PREVIEW_BYTES = 65_536

/** How the table in a CSV file or a workbook is read. */
export interface CsvReading {
  /** The sheet of a workbook; by default, the first visible one that is not blank. */
  sheet?: string | undefined
  delimiter?: CsvDelimiter | undefined
  /** As `parseEncoding` returns it. Must be given if the bytes of the file do not show it. A byte order mark always takes precedence. */
  encoding?: string | undefined
  /** The names of the columns that hold members, if they differ from the names of the members. */
  columns?: { [Member in PetMember]?: string | undefined }
  /** Ignore columns that are not members. By default, such a file is refused, because the names may be misspelt. */
  ignoreOtherColumns?: boolean
  /** Values for animals whose own value is empty or has no column. */
  defaults?: { readonly [Name in MemberName]?: NewPet[Name] | undefined }
  meanings?: readonly ValueMeaning[]
  /** Give unknown words in the column of categories the next free numbers, and label them. */
  newCategories?: boolean
  /** Whether names that a spreadsheet would read as formulas are protected. */
  safeForSpreadsheets?: boolean
}

export interface ImportOptions {
  format: PetFileFormat
  mode: ImportMode
  /** If the file is a feed; then `mode` does not matter. */
  sync?: SyncTerms | undefined
  /** Do everything except the import itself. */
  dryRun: boolean
  /** Import the good lines even if others are bad. By default, a single bad line aborts the import. */
  skipBad: boolean
  csv: CsvReading
  /** The name of the file for the audit log. */
  name: string
  actor: Actor
  /** For an import that the operator may repeat. */
  request?: RepeatableRequest | undefined
}

/** A file that replaces the earlier one of its source. Undefined members are those of the source. */
export interface SyncTerms {
  source: string
  /** Whether a source that does not exist is created. */
  mayCreate: boolean
  keyColumn?: string | undefined
  missing?: MissingRule | undefined
  maxRemovals?: string | undefined
}

export interface FileEffect {
  imported: number
  /** The ids of new animals; undefined if there are none. */
  firstId: bigint | undefined
  lastId: bigint | undefined
  /** The id of the audit entry; undefined if nothing was changed. */
  entryId: bigint | undefined
  /** Animals that were corrected, and animals that already had the values in their lines. */
  updated: number
  unchanged: number
  /** Animals of a feed that were missing, and are in the file again. */
  returned: number
  /** Animals of a feed that were deleted or became sold, because they are missing. */
  removed: number
  /** Why a feed was refused as a whole, if it was. */
  refusal: string | undefined
  /** Categories that get a label, because animals get into them. */
  newCategories: readonly Category[]
}

/** In a dry run, what an import would do. */
export interface ImportReport extends FileEffect {
  /** Lines with an animal, whether good or bad. */
  read: number
  badLines: number
  /** The first MAX_BAD_LINES_KEPT of them. */
  bad: readonly BadLine[]
  /** Why all of them are bad, the most common reason first. */
  reasons: readonly BadLineReason[]
  /** The names of the columns of a table. */
  columns: readonly string[]
  /** Words that need a meaning, the most frequent first. */
  unknownValues: readonly UnknownValue[]
}

export interface ExportOptions {
  filter: PetFilter
  format: PetFileFormat
  /** Of CSV; comma by default. */
  delimiter?: CsvDelimiter | undefined
  /** Add the label of each category to CSV. A workbook always has it. */
  categoryLabels?: boolean
  /** Add the source of each animal, and its id there, to CSV or a workbook. */
  externalIds?: boolean
  /** Whether names and labels in CSV are guarded from being read as formulas. A workbook says which cells are text. */
  safeForSpreadsheets?: boolean
}

export type ImportOnce = (
  sha256: Uint8Array,
  carryOut: (request: RepeatableRequest | undefined) => Promise<ImportReport>,
) => Promise<ImportReport>

export interface EncodingGuess {
  encoding: string
  /** Up to three lines beyond ASCII, read in this encoding; long ones are cut. */
  lines: string[]
}

/** The start of the table in a CSV file or a workbook, as an import with the same options would read it. */
export interface CsvPreview {
  /** Undefined for a workbook. */
  delimiter: CsvDelimiter | undefined
  /** The names of the visible sheets of a workbook; none for a CSV file. */
  sheets: string[]
  /** Undefined if it must be given: the rows are read in the first of `guesses`. */
  encoding: string | undefined
  /** The likely encodings, best first, if the bytes do not show the encoding; also if one was given. */
  guesses: EncodingGuess[]
  header: string[]
  columns: { [Member in PetMember]?: string }
  rows: string[][]
}

export interface ImportProgress {
  /** Bytes of the file that were read; 0 until the file has arrived and a place is free. */
  bytes: number
  /** Lines with an animal, whether good or bad. */
  read: number
  badLines: number
  /** The whole file has been read; only the last step remains. */
  isRead: boolean
}

export interface RunningImport extends ImportProgress {
  requestId: string
  actor: string
  startedAt: number
}

/** Port: files of animals, imported and exported without delaying other calls, in constant memory. A slow client delays no other. */
export interface PetFiles {
  /**
   * Imports the animals of a file in one step, once it has arrived: all or none. Once the file has been read to its end, the import
   * completes even if the signal is aborted.
   * @param once called when the file has arrived, with its SHA-256: imports it, or finds that this was done before
   * @throws UserError when the file as a whole cannot be read, its encoding must be given, or its room was needed for faster senders
   */
  importFile(
    options: ImportOptions,
    requestId: string,
    chunks: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
    once?: ImportOnce,
  ): Promise<ImportReport>
  /** All bad lines of a file as CSV, without importing anything. */
  listBadLines(options: ImportOptions, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Download>
  /** Exports the animals as of now. */
  exportFile(options: ExportOptions, signal: AbortSignal): Promise<Download>
  /** @throws UserError when there is no header */
  preview(
    format: 'csv' | 'xlsx',
    csv: CsvReading,
    chunks: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<CsvPreview>
  /** The imports of this process, oldest first. */
  readonly imports: readonly RunningImport[]
}

/** A file that is read at the speed of its reader. */
export interface Download {
  /** Must be read once, to the end or until `return`. */
  chunks: AsyncIterable<Uint8Array>
  /** Aborted when the reader must be cut off. */
  signal: AbortSignal
}
