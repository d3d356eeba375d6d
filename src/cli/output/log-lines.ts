import type { Writable } from 'node:stream'

const BUFFER_BYTES = 65_536
/** The maximum number of UTF-8 bytes for one unit of `length`. */
const BYTES_PER_CHARACTER = 3
const MAX_WAIT_MS = 250

/**
 * Buffers log lines and writes many at a time: one write per line would cost more than serving a list call. Buffered lines are written
 * when the process exits, unless it is killed.
 */
export class LogLines {
  readonly #output: Writable
  /** Each line is encoded as it arrives: joining hundreds of lines and encoding them as one text makes a list call 7% slower. */
  #waiting = Buffer.allocUnsafe(BUFFER_BYTES)
  #bytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(output: Writable) {
    this.#output = output
    // The service keeps serving calls even if its log cannot be written.
    output.on('error', () => {})
    process.on('exit', () => this.flush())
  }

  write(line: string): void {
    const maxBytes = line.length * BYTES_PER_CHARACTER
    if (maxBytes > BUFFER_BYTES - this.#bytes) this.flush()
    if (maxBytes > BUFFER_BYTES) {
      this.#send(Buffer.from(line))
    } else {
      this.#bytes += this.#waiting.write(line, this.#bytes)
      this.#timer ??= setTimeout(() => this.flush(), MAX_WAIT_MS)
    }
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#bytes === 0) return
    this.#send(this.#waiting.subarray(0, this.#bytes))
    this.#waiting = Buffer.allocUnsafe(BUFFER_BYTES)
    this.#bytes = 0
  }

  /** If the reader is too slow, lines are dropped. Keeping them would fill the memory. */
  #send(lines: Uint8Array): void {
    if (!this.#output.writableNeedDrain) this.#output.write(lines)
  }
}
