import { fstatSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { StoreUnavailable, UserError } from '../domain/errors.ts'
import type { ExportOptions, ImportOptions } from '../domain/pet-files.ts'
import type { PetTransfer } from '../domain/pet-transfer.ts'
import { packError } from '../domain/thread-error.ts'
import type { ImportRequest } from '../pet-files/import-pets.ts'
import { openPetTransfer } from './open-pet-transfer.ts'
import type { PetFileFailure, PetFileJob, PetFileMessage } from './pet-file-job.ts'
import { appendTo, chunksOf } from './temporary-file.ts'

/**
 * The thread of one import, export, list of bad lines or preview of a workbook, with its own connection. It may block on disks and databases. It loads
 * only what its work needs: each file has its own thread, and loading takes most of the time of a small one. It keeps the usual priority: on a busy
 * machine, a lower one would make creations fail, which wait while it writes.
 */
const port = parentPort as NonNullable<typeof parentPort>
const { config, storeFiles, file, now, work }: PetFileJob = workerData
const startedAt = performance.now()
const tell = (message: PetFileMessage | PetFileFailure) => port.postMessage(message)

const aborted = new AbortController()

function sourceOf(descriptor: number) {
  return { bytes: fstatSync(descriptor).size, open: (from?: number) => chunksOf(descriptor, aborted.signal, from) }
}

function requestOf(options: ImportOptions, descriptor = file): ImportRequest {
  const clock = () => now + Math.floor(performance.now() - startedAt)
  return { ...options, ...sourceOf(descriptor), clock, onProgress: progress => tell({ progress }) }
}

async function runImport(transfer: PetTransfer, options: ImportOptions): Promise<void> {
  port.on('message', () => aborted.abort(new Error('The import was aborted.')))
  const { importAll } = await import('../pet-files/import-pets.ts')
  tell({ done: true, report: await importAll(transfer, requestOf(options)) })
}

async function runListBad(transfer: PetTransfer, options: ImportOptions, from: number): Promise<void> {
  const { writeBadLines } = await import('../pet-files/bad-lines-file.ts')
  await write(writeBadLines(transfer, requestOf(options, from)))
}

async function runExport(transfer: PetTransfer, options: ExportOptions): Promise<void> {
  const { exportPets } = await import('../pet-files/export-pets.ts')
  const run = await transfer.beginExport(options.filter, options.externalIds)
  try {
    await write(exportPets(run, options))
  } finally {
    await run.close()
  }
}

async function write(parts: AsyncIterable<string | Uint8Array>): Promise<void> {
  let written = 0
  for await (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    appendTo(file, bytes)
    written += bytes.length
    tell({ written })
  }
  tell({ done: true })
}

/** The service has already opened this store. */
function refuseAsOutage(error: unknown): never {
  throw error instanceof UserError ? new StoreUnavailable(error.message) : error
}

try {
  if ('preview' in work) {
    const { previewWorkbook } = await import('../pet-files/preview.ts')
    tell({ done: true, preview: await previewWorkbook(sourceOf(file), work.preview) })
  } else {
    const transfer = await openPetTransfer(config, storeFiles).catch(refuseAsOutage)
    if ('import' in work) await runImport(transfer, work.import)
    else if ('listBad' in work) await runListBad(transfer, work.listBad, work.from)
    else await runExport(transfer, work.export)
  }
} catch (error) {
  tell({ error: packError(error) })
} finally {
  port.close()
}
