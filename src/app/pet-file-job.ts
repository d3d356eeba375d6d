import type {
  CsvPreview,
  CsvReading,
  ExportOptions,
  ImportOptions,
  ImportProgress,
  ImportReport,
} from '../domain/pet-files.ts'
import type { PackedError } from '../domain/thread-error.ts'
import type { Config } from './config.ts'

/** The `workerData` of the thread. */
export interface PetFileJob {
  config: Pick<Config, 'databaseUrl' | 'dataFolder' | 'deployment'>
  /** The descriptor of the file that is read or written. */
  file: number
  /** When the job began, in Unix milliseconds. */
  now: number
  work: { import: ImportOptions } | { listBad: ImportOptions } | { export: ExportOptions } | { preview: CsvReading }
}

/** `abort` ends an import that has not been read to its end; `next` asks for the next part of a list. */
export type ToPetFileThread = 'abort' | 'next'

/** What a thread sends. Every job ends with `done`, or with a failure. */
export type PetFileMessage =
  | { progress: ImportProgress }
  /** The size of the exported file so far. */
  | { written: number }
  /** A part of a list of bad lines. */
  | { part: Uint8Array }
  | { done: true; report?: ImportReport; preview?: CsvPreview }

export interface PetFileFailure {
  error: PackedError
}
