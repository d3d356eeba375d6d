import type { LogOutput } from './log-output.ts'

const BUFFER_BYTES = 65_536
/** The maximum number of UTF-8 bytes for one unit of `length`. */
const BYTES_PER_CHARACTER = 3
const MAX_WAIT_MS = 250
/** Lines that a slow reader has not read yet take no more memory. At full load, that is several seconds. */
const MAX_UNREAD_BYTES = 32 * 1024 ** 2

/**
 * Buffers log lines and writes many at a time: one write per line would cost more than serving a list call. Buffered lines are written
 * when the process exits, unless it is killed. Lines for which there is no room are dropped and counted.
 */
export class LogLines {
  readonly #output: LogOutput
  /** Each line is encoded as it arrives: joining hundreds of lines and encoding them as one text makes a list call 7% slower. */
  #waiting = Buffer.allocUnsafe(BUFFER_BYTES)
  #bytes = 0
  /** The number of lines in `#waiting`. */
  #lines = 0
  #dropped = 0
  /** The number of dropped lines when lines could last be written. */
  #reported = 0
  readonly #onReturn: (dropped: number) => void
  #timer: NodeJS.Timeout | undefined

  /** @param onReturn called with the number of lines that were dropped, once all others are written */
  constructor(output: LogOutput, onReturn: (dropped: number) => void = () => {}) {
    this.#output = output
    this.#onReturn = onReturn
    process.on('exit', () => this.flush())
  }

  get dropped(): number {
    return this.#dropped
  }

  write(line: string): void {
    const maxBytes = line.length * BYTES_PER_CHARACTER
    if (maxBytes > BUFFER_BYTES - this.#bytes) this.flush()
    if (maxBytes > BUFFER_BYTES) {
      this.#send(Buffer.from(line), 1)
    } else {
      this.#lines += 1
      this.#bytes += this.#waiting.write(line, this.#bytes)
      this.#timer ??= setTimeout(() => this.flush(), MAX_WAIT_MS)
    }
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#bytes === 0) return
    const written = this.#waiting.subarray(0, this.#bytes)
    // A buffer that is mostly empty must not be kept for as long as its few lines are unread.
    const isSmall = this.#bytes < BUFFER_BYTES / 2
    this.#send(isSmall ? Buffer.from(written) : written, this.#lines)
    if (!isSmall) this.#waiting = Buffer.allocUnsafe(BUFFER_BYTES)
    this.#bytes = 0
    this.#lines = 0
  }

  #send(bytes: Uint8Array, lines: number): void {
    const hasRoom = this.#output.writableLength + bytes.length <= MAX_UNREAD_BYTES
    if (!hasRoom || !this.#output.writable) this.#dropped += lines
    else this.#output.write(bytes, error => this.#noteWritten(error ? lines : 0))
  }

  #noteWritten(lost: number): void {
    this.#dropped += lost
    if (lost > 0 || this.#output.writableLength > 0) return
    const dropped = this.#dropped - this.#reported
    this.#reported = this.#dropped
    if (dropped > 0) this.#onReturn(dropped)
  }
}
