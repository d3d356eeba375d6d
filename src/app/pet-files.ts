import { createHash } from 'node:crypto'
import { untilAborted } from '../domain/or-aborted.ts'
import {
  type CsvPreview,
  type CsvReading,
  type Download,
  type ExportOptions,
  type ImportOnce,
  type ImportOptions,
  type ImportReport,
  type PetFiles,
  PREVIEW_BYTES,
  type RunningImport,
} from '../domain/pet-files.ts'
import { Places } from '../domain/places.ts'
import { identifyFiles } from '../sqlite/data-folder/file-identity.ts'
import { databaseFile } from '../sqlite/data-folder/store-files.ts'
import { ClientRoom, type RoomOptions, type Share } from './client-room.ts'
import type { Config } from './config.ts'
import type { PetFileJob } from './pet-file-job.ts'
import { PetFileThread } from './pet-file-worker.ts'
import { READ_BYTES, TemporaryFile } from './temporary-file.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Each takes a thread and a connection to the store, for as long as the service works on it. */
const MAX_IMPORTS = 2
const MAX_EXPORTS = 4
/** Of workbooks. No store is needed, and they take a moment. */
const MAX_PREVIEWS = 2

const GIB = 1_073_741_824

export interface PetFileBounds {
  /** Files that arrive, or have arrived and are worked on. */
  uploads?: RoomOptions
  /** Exported files and lists of bad lines that wait for their readers. */
  downloads?: RoomOptions
}

const BOUNDS: Required<PetFileBounds> = {
  uploads: { maxBytes: 2 * GIB, maxClients: 100 },
  downloads: { maxBytes: GIB, maxClients: 100 },
}

/**
 * Imports and exports files of animals in threads, so that no other call waits for them. Between a thread and a client is a temporary file, so
 * that no thread waits for a client: an import begins when its file has arrived, and an export is over when its file is written.
 */
export class PetFileThreads implements PetFiles {
  readonly #store: Pick<PetFileJob, 'config' | 'storeFiles'>
  readonly #folder: string
  readonly #now: () => number
  readonly #uploads: ClientRoom
  readonly #downloads: ClientRoom
  readonly #importing = new Places(MAX_IMPORTS)
  readonly #exporting = new Places(MAX_EXPORTS)
  readonly #previewing = new Places(MAX_PREVIEWS)
  readonly #imports = new Set<RunningImport>()
  readonly #threads = new Set<PetFileThread>()

  /** The store must be open. */
  constructor({ databaseUrl, dataFolder, deployment }: Config, now: () => number, bounds: PetFileBounds = {}) {
    const { uploads, downloads } = { ...BOUNDS, ...bounds }
    const config = { databaseUrl, dataFolder, deployment }
    const storeFiles = databaseUrl === undefined ? identifyFiles(databaseFile(dataFolder)) : undefined
    this.#store = { config, storeFiles }
    this.#folder = temporaryFolder(config)
    this.#now = now
    this.#uploads = new ClientRoom(uploads)
    this.#downloads = new ClientRoom(downloads)
  }

  get imports(): readonly RunningImport[] {
    return [...this.#imports]
  }

  async importFile(
    options: ImportOptions,
    requestId: string,
    chunks: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
    once: ImportOnce = (_, carryOut) => carryOut(undefined),
  ): Promise<ImportReport> {
    const running = {
      ...{ requestId, actor: options.actor.name, startedAt: this.#now() },
      ...{ bytes: 0, read: 0, badLines: 0, isRead: false },
    }
    this.#imports.add(running)
    try {
      await using file = new TemporaryFile(this.#folder)
      using share = this.#uploads.open()
      const sha256 = await receive(file, share, chunks, signal)
      return await once(sha256, async request => {
        using _place = await this.#importing.take(signal)
        return this.#runImport({ ...options, request }, running, file, signal)
      })
    } finally {
      this.#imports.delete(running)
    }
  }

  async #runImport(
    options: ImportOptions,
    running: RunningImport,
    file: TemporaryFile,
    signal: AbortSignal,
  ): Promise<ImportReport> {
    const thread = this.#start(file, { import: options })
    const abort = () => thread.abort()
    signal.addEventListener('abort', abort, { once: true })
    let report: ImportReport | undefined
    try {
      for await (const message of thread.messages()) {
        if ('done' in message) report = message.report
        if (!('progress' in message)) continue
        Object.assign(running, message.progress)
        // From now on, the import is completed even if the client disconnects.
        if (message.progress.isRead) signal.removeEventListener('abort', abort)
      }
      return report as ImportReport
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    } finally {
      signal.removeEventListener('abort', abort)
      await thread.ended
    }
  }

  async listBadLines(options: ImportOptions, chunks: AsyncIterable<Uint8Array>, left: AbortSignal): Promise<Download> {
    await using opened = new AsyncDisposableStack()
    const file = opened.use(new TemporaryFile(this.#folder))
    await receive(file, opened.use(this.#uploads.open()), chunks, left)
    return await this.#download({ listBad: options, from: file.descriptor }, left, opened.move())
  }

  exportFile(options: ExportOptions, left: AbortSignal): Promise<Download> {
    return this.#download({ export: options }, left, new AsyncDisposableStack())
  }

  /** @param needed by the thread; closed when it has ended, not when the client has read everything */
  async #download(work: PetFileJob['work'], left: AbortSignal, needed: AsyncDisposableStack): Promise<Download> {
    await using opened = new AsyncDisposableStack()
    opened.use(needed)
    const file = opened.use(new TemporaryFile(this.#folder))
    const share = opened.use(this.#downloads.open())
    const signal = AbortSignal.any([left, share.signal])
    needed.use(await this.#exporting.take(signal))
    const thread = opened.use(this.#start(file, work))
    // Nothing is lost if the file of a broken disk cannot be closed.
    void thread.ended.then(() => needed.disposeAsync()).catch(() => {})
    thread.onWritten(bytes => share.grow(bytes - share.bytes))
    const parts = passOn(thread, file, share, signal, opened.move())
    return { signal, chunks: await begun(parts) }
  }

  async preview(
    format: 'csv' | 'xlsx',
    csv: CsvReading,
    chunks: AsyncIterable<Uint8Array>,
    left: AbortSignal,
  ): Promise<CsvPreview> {
    if (format === 'xlsx') return this.#previewWorkbook(csv, chunks, left)
    // The CSV reader is loaded on first use, because most services never need it.
    const { previewCsv } = await import('../pet-files/preview.ts')
    return previewCsv(await readStart(chunks), csv)
  }

  async #previewWorkbook(csv: CsvReading, chunks: AsyncIterable<Uint8Array>, left: AbortSignal): Promise<CsvPreview> {
    await using file = new TemporaryFile(this.#folder)
    using share = this.#uploads.open()
    await receive(file, share, chunks, left)
    using _place = await this.#previewing.take(left)
    await using thread = this.#start(file, { preview: csv })
    let preview: CsvPreview | undefined
    for await (const message of thread.messages(left)) if ('done' in message) preview = message.preview
    return preview as CsvPreview
  }

  /** Waits for running imports, and ends downloads. */
  async close(): Promise<void> {
    for (const thread of this.#threads) if (!thread.isImport) thread.terminate()
    await Promise.all([...this.#threads].map(({ ended }) => ended))
  }

  #start({ descriptor }: TemporaryFile, work: PetFileJob['work']): PetFileThread {
    const thread = new PetFileThread({ ...this.#store, file: descriptor, now: this.#now(), work })
    this.#threads.add(thread)
    void thread.ended.then(() => this.#threads.delete(thread))
    return thread
  }
}

async function readStart(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    length += chunk.length
    if (length >= PREVIEW_BYTES) break
  }
  return Buffer.concat(parts).subarray(0, PREVIEW_BYTES)
}

/** Writes what the client sends to a file, and returns its SHA-256. @throws UserError when the client loses its room */
async function receive(
  file: TemporaryFile,
  share: Share,
  chunks: AsyncIterable<Uint8Array>,
  left: AbortSignal,
): Promise<Uint8Array> {
  const signal = AbortSignal.any([left, share.signal])
  const sha256 = createHash('sha256')
  for await (const chunk of untilAborted(chunks, signal)) {
    const position = share.bytes
    share.grow(chunk.length)
    sha256.update(chunk)
    await file.write(chunk, position)
    share.moved += chunk.length
  }
  share.isWaiting = false
  return sha256.digest()
}

/** Yields undefined once the thread has begun, then what it has written whenever it sends a message. Closes what is opened at the end. */
async function* passOn(
  thread: PetFileThread,
  file: TemporaryFile,
  share: Share,
  signal: AbortSignal,
  opened: AsyncDisposableStack,
): AsyncGenerator<Uint8Array | undefined, void> {
  await using _ = opened
  let isBegun = false
  for await (const _message of thread.messages(signal)) {
    if (!isBegun) yield undefined
    isBegun = true
    while (share.moved < share.bytes) {
      signal.throwIfAborted()
      const chunk = await file.read(Math.min(share.bytes - share.moved, READ_BYTES), share.moved)
      yield chunk
      share.moved += chunk.length
    }
  }
}

/** Starts a generator, and skips its first value, which is undefined. Only a started generator closes what it has opened. */
async function begun<Value>(generator: AsyncGenerator<Value | undefined, void>): Promise<AsyncIterable<Value>> {
  await generator.next()
  return generator as AsyncIterable<Value>
}
