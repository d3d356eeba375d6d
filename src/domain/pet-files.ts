import type { Actor } from './audit.ts'
import type { PetStatus } from './pet.ts'
import type { PetFilter } from './pet-selection.ts'
import type { BadLine } from './pet-transfer.ts'

export const PET_FILE_FORMATS = ['ndjson', 'csv'] as const
export type PetFileFormat = (typeof PET_FILE_FORMATS)[number]

/** The members of an animal in a file. */
export const PET_MEMBERS = ['id', 'name', 'categoryId', 'status'] as const
export type PetMember = (typeof PET_MEMBERS)[number]

/** Without one of these, the encoding of a CSV file is recognised. A byte order mark decides in any case. */
export const CSV_ENCODINGS = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'] as const
export type CsvEncoding = (typeof CSV_ENCODINGS)[number]

/** Without one of these, the delimiter of a CSV file is recognised by its header. */
export const CSV_DELIMITERS = ['comma', 'semicolon', 'tab', 'pipe'] as const
export type CsvDelimiter = (typeof CSV_DELIMITERS)[number]

/** What the lines of an imported file are: new animals, or corrections of those with the same ids. */
export const IMPORT_MODES = ['add', 'update'] as const
export type ImportMode = (typeof IMPORT_MODES)[number]

/** How much of a CSV file a preview looks at. */
export const PREVIEW_BYTES = 65_536

/** How a CSV file is read. */
export interface CsvReading {
  delimiter?: CsvDelimiter | undefined
  encoding?: CsvEncoding | undefined
  /** Names in the header that stand for members, where these are not called as the members are. */
  columns?: { [Member in PetMember]?: string | undefined }
  /** Leave out columns that are no members. Otherwise the file is refused, as their names may be misspelt. */
  ignoreOtherColumns?: boolean
  /** Values of all animals whose own value is empty or has no column. */
  defaults?: { categoryId?: bigint | undefined; status?: PetStatus | undefined }
  /** Whether names that a spreadsheet would read as a formula are guarded. */
  safeForSpreadsheets?: boolean
}

export interface ImportWish {
  format: PetFileFormat
  mode: ImportMode
  /** Do everything except the import itself. */
  dryRun: boolean
  /** Import the good lines even if others are bad. Otherwise a single bad line aborts the import. */
  skipBad: boolean
  csv: CsvReading
  /** The name of the file for the audit log. */
  name: string
  actor: Actor
}

/** In a dry run, what would be done. */
export interface ImportReport {
  /** Lines with an animal, whether good or bad. */
  read: number
  /** Animals that are new. */
  imported: number
  /** The ids of new animals; undefined if there are none. */
  firstId: bigint | undefined
  lastId: bigint | undefined
  /** Animals that were corrected, and animals that were already as their lines say. */
  updated: number
  unchanged: number
  badLines: number
}

export interface ExportWish {
  filter: PetFilter
  format: PetFileFormat
  delimiter: CsvDelimiter
  safeForSpreadsheets: boolean
}

/** The beginning of a CSV file, as an import with the same wishes would read it. */
export interface CsvPreview {
  delimiter: CsvDelimiter
  encoding: CsvEncoding
  /** The names in the header. */
  header: string[]
  /** The columns that seem to stand for members, by their names. */
  columns: { [Member in PetMember]?: string }
  /** The first rows below the header. */
  rows: string[][]
}

/** An import that is being carried out. */
export interface RunningImport {
  requestId: string
  actor: string
  startedAt: number
  bytes: number
  read: number
  badLines: number
  /** The whole file has been read; only the last step remains. */
  isRead: boolean
}

/** Port: files of animals, imported and exported without delaying other calls, in constant memory. */
export interface PetFiles {
  /**
   * Imports the animals of a file in one step: all or none. An import that has been read to its end is carried out even if the signal is
   * aborted.
   * @throws UserError when the file as a whole cannot be read, or too many imports are under way
   */
  importFile(
    wish: ImportWish,
    requestId: string,
    chunks: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<ImportedFile>
  /** Exports animals as they are now. */
  exportFile(wish: ExportWish, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
  /** @throws UserError when there is no header */
  previewCsv(start: Uint8Array, csv: CsvReading): Promise<CsvPreview>
  /** The imports of this process, oldest first. */
  readonly imports: readonly RunningImport[]
}

export interface ImportedFile {
  report: ImportReport
  /** All bad lines; they are to be read once, to the end or to `return`. */
  badLines: AsyncIterable<BadLine>
}
