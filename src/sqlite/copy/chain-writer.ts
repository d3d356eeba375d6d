import { createHash } from 'node:crypto'
import { closeSync, createReadStream, mkdirSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { backup, type DatabaseSync, type StatementSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { DAY_MS } from '../../domain/time.ts'
import { giveFolderToOwner } from '../../files/give-to-owner.ts'
import { partialFile } from '../../files/partial-file.ts'
import { syncFile, syncFolder } from '../../files/sync-to-disk.ts'
import { connect } from '../connection.ts'
import { createFile } from '../data-folder/create.ts'
import { logFile } from '../data-folder/store-files.ts'
import { logBytes } from '../file-format.ts'
import { isBusy } from '../sqlite-errors.ts'
import { type PageImage, writeChanges } from './changes-file.ts'
import { type ChainName, type CopyFile, chainFolder, copyFileName } from './copy-folder.ts'
import { isSameLog, LogChanged, type LogPart, type LogPosition, readLog } from './log-scan.ts'

/** The number of log frames after which SQLite runs a checkpoint. */
const FRAMES_BEFORE_RESET = 1_000
/** If other processes hold the write lock for longer than this, the log is reset at the next opportunity instead. */
const LOCK_TIMEOUT_MS = 500
/** The maximum number of pages read while the store is locked for writing. */
const MAX_PAGES_UNDER_LOCK = 2_048
/** A full copy is made every day, and whenever the changes since the last one would take long to restore. */
const FULL_EVERY_MS = DAY_MS
const MIN_CHANGED_BYTES = 268_435_456
const CHANGED_BYTES_PER_BYTE = 4
const RETRY_FULL_AFTER_MS = 60_000
const BACKUP_PAGES_AT_ONCE = 1_000
const READ_ATTEMPTS = 3

/**
 * Writes one chain: full copies of a store, and between them the pages that changed.
 *
 * SQLite appends each commit to its log. From time to time it writes the log into the database (a checkpoint) and then restarts the log from
 * its beginning. A long-lived read transaction, the pin, prevents that until the log has been copied: a checkpoint writes only what every
 * reader already sees, and the log restarts only after a complete checkpoint. `#resetLog` moves the pin while no process can write.
 */
export class ChainWriter {
  readonly folder: string
  readonly #database: string
  readonly #log: string
  /** Closes the pin, the lock, and the connection that counts committed frames. */
  readonly #connections: DisposableStack
  readonly #pin: DatabaseSync
  /** Briefly prevents other processes from writing. */
  readonly #lock: DatabaseSync
  /** How many frames of the log are committed. */
  readonly #committed: StatementSync
  #position: LogPosition | undefined
  /** The pages committed since the last file: their offsets in the log, or their content if the log may restart. */
  #pages = new Map<number, number | Uint8Array>()
  #pageCount = 0
  /** Unix milliseconds: all pages read so far were committed before this time. */
  #noticedAt = 0
  /** The number of the last file with changes. */
  #number = 0
  /** The number of frames in the log when the pin was moved; 0 if the log has restarted since then. */
  #pinnedFrames = 0
  /** Times are on the monotonic clock. */
  #full: { startedAt: number; bytes: number } | undefined
  #fullUnderway: Promise<void> | undefined
  #fullFailure: { error: unknown; retryAt: number } | undefined
  /** The size of the files with changes since the last full copy. */
  #changedBytes = 0

  #isGivenUp = false

  /** @param database the file of a store that stays open as long as this exists */
  constructor(database: string, copyFolder: string, name: ChainName) {
    this.#database = database
    this.#log = logFile(database)
    this.folder = chainFolder(copyFolder, name)
    mkdirSync(this.folder, { mode: 0o700 })
    giveFolderToOwner(this.folder)
    syncFolder(copyFolder)
    // If anything fails here, no pin may remain that holds the log.
    using connections = new DisposableStack()
    this.#pin = connections.use(connect(database))
    this.#lock = connections.use(connect(database))
    this.#lock.exec(`PRAGMA busy_timeout = ${LOCK_TIMEOUT_MS}`)
    this.#committed = connections.use(connect(database)).prepare('PRAGMA wal_checkpoint(NOOP)')
    beginReading(this.#pin)
    this.advance()
    // The full copy will include these.
    this.#pages.clear()
    this.#pinnedFrames = this.#position?.frames ?? 0
    this.#connections = connections.move()
  }

  /** Whether the store can be restored from this chain. */
  get hasFull(): boolean {
    return this.#full !== undefined
  }

  /** The size to which the log has grown. */
  get logBytes(): number {
    return this.#position ? logBytes(this.#position) : 0
  }

  /**
   * Reads what was committed since the last call.
   * @throws LogChanged if that cannot be determined: the chain ends
   */
  advance(): void {
    const { position, pages, pageCount } = this.#readCommitted()
    if (position && this.#position && !isSameLog(position, this.#position)) {
      // The pin allows a restart only if nothing was written after it.
      if (this.#position.frames !== this.#pinnedFrames) {
        throw new LogChanged('The log was restarted before it had been copied.')
      }
      this.#pinnedFrames = 0
    }
    this.#position = position ?? this.#position
    for (const [page, offset] of pages) this.#pages.set(page, offset)
    this.#pageCount = pageCount ?? this.#pageCount
    this.#noticedAt = Date.now()
  }

  /** Reads at least everything that SQLite reports as committed when this starts. */
  #readCommitted(): LogPart {
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt += 1) {
      const { log: committed } = this.#committed.get() as { log: bigint }
      const part = this.#readingLog(log => readLog(log, this.#position))
      // If the log restarts in between, it has fewer frames than before.
      if ((part.position?.frames ?? 0) >= committed) return part
    }
    throw new LogChanged('The log could not be read to its end.')
  }

  /** Writes the pages read so far to a file, if there are any. */
  flush(): void {
    if (this.#pages.size === 0 || !this.#position) return
    const header = { pageSize: this.#position.pageSize, pageCount: this.#pageCount }
    const number = this.#number + 1
    const partial = partialFile(join(this.folder, 'changes'))
    try {
      const { sha256, bytes } = this.#readingLog(log => writeChanges(partial, header, this.#images(log)))
      this.#complete(partial, { kind: 'changes', number, at: this.#noticedAt, sha256 })
      this.#changedBytes += bytes
    } finally {
      rmSync(partial, { force: true })
    }
    this.#number = number
    this.#pages.clear()
  }

  /**
   * Allows SQLite to restart a long log, and starts a full copy if one is due.
   * @throws the error of the last full copy too, once
   */
  tidy(): void {
    if (this.#fullFailure && this.#fullFailure.retryAt === 0) {
      this.#fullFailure.retryAt = performance.now() + RETRY_FULL_AFTER_MS
      throw this.#fullFailure.error
    }
    const isLong = (this.#position?.frames ?? 0) >= this.#pinnedFrames + FRAMES_BEFORE_RESET
    if (isLong || this.#isFullDue()) this.#resetLog()
  }

  /** Releases the log immediately, and returns when the full copy in progress is complete. */
  async close(): Promise<void> {
    this.#connections.dispose()
    await this.#fullUnderway
  }

  /** Releases the log immediately, and returns when the full copy in progress has been discarded. */
  async giveUp(): Promise<void> {
    this.#isGivenUp = true
    await this.close()
  }

  #isFullDue(): boolean {
    const now = performance.now()
    if (this.#fullUnderway || (this.#fullFailure && now < this.#fullFailure.retryAt)) return false
    if (!this.#full) return true
    const { startedAt, bytes } = this.#full
    const enough = Math.max(MIN_CHANGED_BYTES, CHANGED_BYTES_PER_BYTE * bytes)
    return now - startedAt >= FULL_EVERY_MS || this.#changedBytes >= enough
  }

  #resetLog(): void {
    // Write most of it while others can still write.
    this.flush()
    const snapshot = this.#whileNoOtherWrites(() => {
      this.advance()
      if (this.#pages.size > MAX_PAGES_UNDER_LOCK) return undefined
      this.#keepImages()
      this.#movePin()
      return this.#isFullDue() ? openSnapshot(this.#database) : undefined
    })
    try {
      this.flush()
    } catch (error) {
      snapshot?.close()
      throw error
    }
    if (snapshot) this.#beginFull(snapshot)
  }

  /** Does nothing if others hold the write lock for too long. */
  #whileNoOtherWrites<Result>(work: () => Result): Result | undefined {
    try {
      this.#lock.exec('BEGIN IMMEDIATE')
    } catch (error) {
      if (isBusy(error)) return undefined
      throw error
    }
    try {
      return work()
    } finally {
      this.#lock.exec('ROLLBACK')
    }
  }

  /** Keeps the content of pending pages: once the log restarts, it no longer has them. */
  #keepImages(): void {
    const images = this.#readingLog(log => [...this.#images(log)])
    this.#pages = new Map(images.map(({ page, image }) => [page, image]))
  }

  /** Runs a checkpoint between the two transactions of the pin. No process can write, so the log does not change. */
  #movePin(): void {
    try {
      this.#pin.exec('COMMIT; PRAGMA wal_checkpoint(PASSIVE)')
      beginReading(this.#pin)
    } catch (error) {
      throw new LogChanged('The log could not be kept in place.', { cause: error })
    }
    this.#pinnedFrames = this.#position?.frames ?? 0
  }

  /** @param snapshot of the store as of the last file with changes */
  #beginFull(snapshot: DatabaseSync): void {
    this.#fullFailure = undefined
    this.#fullUnderway = this.#writeFull(snapshot, this.#number, this.#noticedAt)
      .catch(error => {
        this.#fullFailure = { error, retryAt: 0 }
      })
      .finally(() => {
        this.#fullUnderway = undefined
      })
  }

  async #writeFull(snapshot: DatabaseSync, number: number, at: number): Promise<void> {
    const partial = partialFile(join(this.folder, 'full'))
    const startedAt = performance.now()
    const includedBytes = this.#changedBytes
    try {
      createFile(partial)
      // Until it is complete, its snapshot also prevents the log from restarting.
      const progress = () => {
        if (this.#isGivenUp) throw new LogChanged('The chain was given up.')
      }
      await backup(snapshot, partial, { rate: BACKUP_PAGES_AT_ONCE, progress })
      syncFile(partial)
      const { size: bytes } = statSync(partial)
      this.#complete(partial, { kind: 'full', number, at, sha256: await sha256Of(partial) })
      this.#full = { startedAt, bytes }
      this.#changedBytes -= includedBytes
    } finally {
      snapshot.close()
      for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(partial + suffix, { force: true })
    }
  }

  #complete(partial: string, file: Omit<CopyFile, 'path'>): void {
    renameSync(partial, join(this.folder, copyFileName(file)))
    syncFolder(this.folder)
  }

  /** In ascending order; without pages by which the database was truncated. */
  *#images(log: number): Generator<PageImage> {
    const pageSize = this.#position?.pageSize ?? 0
    const pages = [...this.#pages].filter(([page]) => page <= this.#pageCount)
    for (const [page, place] of pages.toSorted(([one], [other]) => one - other)) {
      if (typeof place !== 'number') yield { page, image: place }
      else {
        const image = Buffer.alloc(pageSize)
        if (readSync(log, image, 0, pageSize, place) !== pageSize) {
          throw new LogChanged('The log was cut short, or could not be read.')
        }
        yield { page, image }
      }
    }
  }

  /** SQLite holds no locks on its log, so opening and closing it is safe (sqlite.org/howtocorrupt.html, 2.2). */
  #readingLog<Result>(work: (log: number) => Result): Result {
    const log = openSync(this.#log, 'r')
    try {
      return work(log)
    } finally {
      closeSync(log)
    }
  }
}

/** Begins a transaction that sees the current state of the store until it ends. */
function beginReading(database: DatabaseSync): void {
  database.exec('BEGIN; SELECT deployment FROM store')
}

function openSnapshot(file: string): DatabaseSync {
  const snapshot = connect(file)
  beginReading(snapshot)
  return snapshot
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
