import { parentPort, workerData } from 'node:worker_threads'
import type { ExportOptions, ImportOptions, ImportReport } from '../domain/pet-files.ts'
import { exportPets } from '../pet-files/export-pets.ts'
import { type ImportProgress, importPets } from '../pet-files/import-pets.ts'
import type { Config } from './config.ts'
import { openPetTransfer } from './open-store.ts'
import { Spool } from './spool.ts'
import { type PackedError, packError } from './thread-error.ts'

/** The `workerData` of the thread. */
export type PetFileJob = { config: Pick<Config, 'databaseUrl' | 'dataFolder' | 'deployment'> } & (
  | { import: ImportOptions; export?: undefined }
  | { export: ExportOptions; import?: undefined }
)

/** A part of the file to import; undefined at its end. */
export type ToPetFileThread = { chunk: Uint8Array | undefined; now: number } | { abort: true }

export type FromPetFileThread =
  /** Requests the next part. */
  | { pull: true }
  | { progress: ImportProgress }
  /** The number of bytes of the exported file in the spool. */
  | { spooled: number; path: string }
  /** The end. An import adds its report and the path of the spool with its bad lines. */
  | { done: true; report?: ImportReport; badLines?: string | undefined }
  | { error: PackedError }

/**
 * The thread of one import or export, with its own connection. It may block on disks and databases, and buffers its results in a file, so
 * that no other call is delayed, even if the client is slow.
 */
const port = parentPort as NonNullable<typeof parentPort>
const { config, ...job }: PetFileJob = workerData
const tell = (message: FromPetFileThread, moved: ArrayBuffer[] = []) => port.postMessage(message, moved)

async function runImport(options: ImportOptions): Promise<void> {
  const transfer = await openPetTransfer(config)
  const upload = new Upload()
  const badLines = new Spool()
  try {
    const { bad: _, ...report } = await importPets(transfer, {
      ...options,
      clock: () => upload.now,
      chunks: upload.chunks(),
      onBad: lines => badLines.add(lines.map(line => `${JSON.stringify(line)}\n`).join('')),
      onProgress: progress => tell({ progress }),
    })
    badLines.close()
    tell({ done: true, report, badLines: badLines.path })
  } catch (error) {
    badLines.remove()
    throw error
  }
}

/** The parts of the imported file, requested one at a time. */
class Upload {
  /** When the last part was sent, in Unix milliseconds. */
  now = 0
  #arrived = Promise.withResolvers<Uint8Array | undefined>()

  constructor() {
    port.on('message', (message: ToPetFileThread) => {
      if ('abort' in message) this.#arrived.reject(new Error('The import was aborted.'))
      else {
        this.now = message.now
        this.#arrived.resolve(message.chunk)
      }
    })
  }

  async *chunks(): AsyncIterable<Buffer> {
    for (;;) {
      this.#arrived = Promise.withResolvers()
      tell({ pull: true })
      const chunk = await this.#arrived.promise
      if (!chunk) return
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    }
  }
}

async function runExport(options: ExportOptions): Promise<void> {
  const transfer = await openPetTransfer(config)
  const run = await transfer.beginExport(options.filter)
  const spool = new Spool()
  try {
    for await (const text of exportPets(run, { ...options, onProgress: () => {} })) {
      spool.add(text)
      if (spool.path !== undefined) tell({ spooled: spool.bytes, path: spool.path })
    }
    spool.close()
    tell({ done: true })
  } catch (error) {
    spool.remove()
    throw error
  } finally {
    await run.close()
  }
}

try {
  await (job.import ? runImport(job.import) : runExport(job.export))
} catch (error) {
  tell({ error: packError(error) })
} finally {
  port.close()
}
