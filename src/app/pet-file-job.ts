import type {
  CsvPreview,
  CsvReading,
  ExportOptions,
  ImportOptions,
  ImportProgress,
  ImportReport,
} from '../domain/pet-files.ts'
import type { PackedError } from '../domain/thread-error.ts'
import type { OpenFiles } from '../sqlite/data-folder/file-identity.ts'
import type { Config } from './config.ts'

/** The `workerData` of the thread. */
export interface PetFileJob {
  config: Pick<Config, 'databaseUrl' | 'dataFolder' | 'deployment'>
  /** Of the embedded store. */
  storeFiles: OpenFiles | undefined
  /** The descriptor of the file that is imported, previewed or written. */
  file: number
  /** When the job began, in Unix milliseconds. */
  now: number
  work:
    | { import: ImportOptions }
    /** With the descriptor of the file that has the lines. */
    | { listBad: ImportOptions; from: number }
    | { export: ExportOptions }
    | { preview: CsvReading }
}

/** What a thread sends. Every job ends with `done`, or with a failure. */
export type PetFileMessage =
  | { progress: ImportProgress }
  /** The size of the written file so far. */
  | { written: number }
  | { done: true; report?: ImportReport; preview?: CsvPreview }

export interface PetFileFailure {
  error: PackedError
}
