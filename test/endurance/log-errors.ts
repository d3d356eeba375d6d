import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, readSync } from 'node:fs'

const CHUNK_BYTES = 4_194_304
/** Half an hour of calls fills gigabytes. A longer file is emptied after reading. */
const MAX_BYTES = 268_435_456
const MAX_LINES = 100
const TAIL_CHARACTERS = 2_000

/** Reads the log of a service as it grows, and keeps the lines that report a problem. */
export class LogErrors {
  readonly file: string
  /** Errors, and lines that are not log entries: a warning from Node, or the error that ended the process. */
  readonly lines: string[] = []
  #offset = 0
  #rest = ''

  constructor(file: string) {
    this.file = file
  }

  /** Reads new lines. Lines written while the file is emptied are missed. */
  read(): readonly string[] {
    if (!existsSync(this.file)) return this.lines
    const opened = openSync(this.file, 'r+')
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    for (let length = -1; length !== 0; ) {
      length = readSync(opened, chunk, 0, chunk.length, this.#offset)
      this.#offset += length
      this.#take(this.#rest + chunk.toString('utf8', 0, length))
    }
    if (this.#offset > MAX_BYTES) {
      ftruncateSync(opened)
      this.#offset = 0
    }
    closeSync(opened)
    return this.lines
  }

  /** The end of the log, for error messages. */
  tail(): string {
    return existsSync(this.file) ? readFileSync(this.file, 'utf8').slice(-TAIL_CHARACTERS) : 'there is no log'
  }

  #take(text: string): void {
    const lines = text.split('\n')
    this.#rest = lines.pop() ?? ''
    const wrong = lines.filter(line => line !== '' && !/^\{"level":[1-4]0,/.test(line))
    this.lines.push(...wrong.slice(0, MAX_LINES - this.lines.length))
  }
}
