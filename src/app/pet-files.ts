import { closeSync, openSync, read, rmSync } from 'node:fs'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { UserError } from '../domain/errors.ts'
import type {
  CsvPreview,
  CsvReading,
  ExportOptions,
  ImportedFile,
  ImportOptions,
  ImportReport,
  PetFiles,
  RunningImport,
} from '../domain/pet-files.ts'
import type { BadLine } from '../domain/pet-transfer.ts'
import type { Config } from './config.ts'
import type { FromPetFileThread, PetFileJob, ToPetFileThread } from './pet-file-thread.ts'
import { unpackError } from './thread-error.ts'

/** Each takes a thread, a connection to the store and disk space for temporary files. */
const MAX_IMPORTS = 2
const MAX_EXPORTS = 4

const READ_BYTES = 65_536

const readFile = promisify(read)

/** Imports and exports files of animals in threads, so that no other call waits for them. */
export class PetFileThreads implements PetFiles {
  readonly #config: PetFileJob['config']
  readonly #now: () => number
  readonly #imports = new Set<RunningImport>()
  /** Reports whose bad lines have not all been read. */
  readonly #openReports = new Set<string>()
  readonly #exports = new Set<SpooledFile>()
  readonly #ended = new Set<Promise<void>>()

  constructor({ databaseUrl, dataFolder, deployment }: Config, now: () => number) {
    this.#config = { databaseUrl, dataFolder, deployment }
    this.#now = now
  }

  get imports(): readonly RunningImport[] {
    return [...this.#imports]
  }

  async importFile(
    options: ImportOptions,
    requestId: string,
    chunks: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<ImportedFile> {
    ensureRoom(this.#imports.size + this.#openReports.size, MAX_IMPORTS, 'imports')
    const running = {
      ...{ requestId, actor: options.actor.name, startedAt: this.#now() },
      ...{ bytes: 0, read: 0, badLines: 0, isRead: false },
    }
    this.#imports.add(running)
    try {
      const { report, badLines } = await this.#runImport(options, running, chunks, signal)
      return { report, badLines: await begun(this.#readBadLines(badLines)) }
    } finally {
      this.#imports.delete(running)
    }
  }

  async #runImport(
    options: ImportOptions,
    running: RunningImport,
    chunks: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<{ report: ImportReport; badLines: string | undefined }> {
    const thread = this.#start({ config: this.#config, import: options })
    const send = (message: ToPetFileThread, moved: ArrayBuffer[] = []) => thread.postMessage(message, moved)
    const parts = chunks[Symbol.asyncIterator]()
    let failure: unknown
    const abort = (reason: unknown) => {
      failure ??= reason
      send({ abort: true })
    }
    const onAbort = () => abort(signal.reason)
    const feed = async () => {
      const { value, done } = await parts.next()
      if (done) return send({ chunk: undefined, now: this.#now() })
      // A part shares its memory with others.
      const own = new Uint8Array(value)
      send({ chunk: own, now: this.#now() }, [own.buffer])
    }
    const { promise, resolve, reject } = Promise.withResolvers<{ report: ImportReport; badLines: string | undefined }>()
    thread.on('message', (message: FromPetFileThread) => {
      if ('pull' in message) feed().catch(abort)
      else if ('progress' in message) {
        Object.assign(running, message.progress)
        // From now on, the import is completed even if the client disconnects.
        if (message.progress.isRead) signal.removeEventListener('abort', onAbort)
      } else if ('error' in message) reject(failure ?? unpackError(message.error))
      else if ('done' in message) resolve({ report: message.report as ImportReport, badLines: message.badLines })
    })
    thread.on('error', reject)
    thread.on('exit', () => reject(new Error('The thread of an import ended early.')))
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
      await parts.return?.()
    }
  }

  async exportFile(options: ExportOptions, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    signal.throwIfAborted()
    ensureRoom(this.#exports.size, MAX_EXPORTS, 'exports')
    const spooled = new SpooledFile(this.#start({ config: this.#config, export: options }))
    // The temporary file takes up space until the client has read it, even long after the thread has ended.
    this.#exports.add(spooled)
    void spooled.closed.then(() => this.#exports.delete(spooled))
    signal.addEventListener('abort', () => void spooled.stop(), { once: true })
    return begun(spooled.chunks())
  }

  async *#readBadLines(path: string | undefined): AsyncGenerator<BadLine | undefined, void> {
    if (path === undefined) return
    this.#openReports.add(path)
    try {
      yield* readSpooledLines(path)
    } finally {
      this.#openReports.delete(path)
    }
  }

  async previewCsv(start: Uint8Array, csv: CsvReading): Promise<CsvPreview> {
    // The CSV reader is loaded on first use, because most services never need it.
    const { previewCsv } = await import('../pet-files/preview.ts')
    return previewCsv(Buffer.from(start), csv)
  }

  /** Waits for running imports, and ends exports. */
  async close(): Promise<void> {
    for (const spooled of this.#exports) await spooled.stop()
    await Promise.all(this.#ended)
  }

  #start(job: PetFileJob): Worker {
    const thread = new Worker(new URL('pet-file-thread.ts', import.meta.url), { workerData: job })
    const ended = new Promise<void>(resolve => thread.once('exit', () => resolve()))
    this.#ended.add(ended)
    void ended.then(() => this.#ended.delete(ended))
    return thread
  }
}

/** @throws UserError */
function ensureRoom(running: number, most: number, what: string): void {
  if (running < most) return
  throw new UserError('conflict', `${most} ${what} are already running; try again when one of them has finished.`)
}

/** A file that a thread writes while it is being read. It can be read once. */
class SpooledFile {
  readonly #thread: Worker
  readonly #closed = Promise.withResolvers<void>()
  #file: number | undefined
  #written = 0
  #isDone = false
  #error: unknown
  #changed = Promise.withResolvers<void>()

  constructor(thread: Worker) {
    this.#thread = thread
    thread.on('message', (message: FromPetFileThread) => {
      if ('spooled' in message) this.#read(message)
      else if ('error' in message) this.#error = unpackError(message.error)
      else this.#isDone = true
      this.#wake()
    })
    thread.on('error', error => {
      this.#error = error
      this.#wake()
    })
    thread.on('exit', () => {
      if (!this.#isDone) this.#error ??= new Error('The thread of an export ended early.')
      this.#wake()
    })
  }

  /** Resolves when the file has been read to its end, or the reader has stopped. */
  get closed(): Promise<void> {
    return this.#closed.promise
  }

  async stop(): Promise<void> {
    await this.#thread.terminate()
  }

  /** Yields undefined as soon as there is something to read, then the parts of the file. Throws if the export fails. */
  async *chunks(): AsyncGenerator<Uint8Array | undefined, void> {
    let position = 0
    try {
      await this.#changed.promise
      if (this.#error) throw this.#error
      yield undefined
      for (;;) {
        const { promise } = this.#changed
        const left = this.#written - position
        if (left > 0) {
          const { bytesRead, buffer } = await readFile(
            this.#file as number,
            Buffer.alloc(Math.min(left, READ_BYTES)),
            0,
            Math.min(left, READ_BYTES),
            position,
          )
          position += bytesRead
          yield buffer.subarray(0, bytesRead)
        } else if (this.#error) throw this.#error
        else if (this.#isDone) return
        else await promise
      }
    } finally {
      void this.stop()
      if (this.#file !== undefined) closeSync(this.#file)
      this.#closed.resolve()
    }
  }

  #read({ path, spooled }: { path: string; spooled: number }): void {
    try {
      this.#file ??= openOnce(path)
      this.#written = spooled
    } catch (error) {
      this.#error ??= error
      void this.stop()
    }
  }

  #wake(): void {
    const { resolve } = this.#changed
    this.#changed = Promise.withResolvers()
    resolve()
  }
}

/** Starts a generator, so that it opens its file, and skips its first value, which is undefined. Only a started generator closes its file. */
async function begun<Value>(generator: AsyncGenerator<Value | undefined, void>): Promise<AsyncIterable<Value>> {
  await generator.next()
  return generator as AsyncIterable<Value>
}

/** Opens a file for its only reader, and unlinks it. */
function openOnce(path: string): number {
  try {
    return openSync(path, 'r')
  } finally {
    rmSync(path, { force: true })
  }
}

async function* readSpooledLines(path: string): AsyncGenerator<BadLine | undefined, void> {
  const file = openOnce(path)
  let rest = ''
  const decoder = new TextDecoder()
  try {
    yield undefined
    for (;;) {
      const { bytesRead, buffer } = await readFile(file, Buffer.alloc(READ_BYTES), 0, READ_BYTES, null)
      if (bytesRead === 0) return
      const lines = (rest + decoder.decode(buffer.subarray(0, bytesRead), { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield JSON.parse(line)
    }
  } finally {
    closeSync(file)
  }
}
