import type { Writable } from 'node:stream'

const MAX_CHARACTERS = 65_536
const MAX_WAIT_MS = 250

/**
 * Gathers log lines and writes many at once: one write per line would cost more than answering a list. Lines that wait are written
 * when the process exits, unless it is killed.
 */
export class LogLines {
  readonly #output: Writable
  #waiting = ''
  #timer: NodeJS.Timeout | undefined

  constructor(output: Writable) {
    this.#output = output
    // The service keeps answering even if its log cannot be written.
    output.on('error', () => {})
    process.on('exit', () => this.flush())
  }

  write(line: string): void {
    this.#waiting += line
    if (this.#waiting.length >= MAX_CHARACTERS) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), MAX_WAIT_MS)
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const text = this.#waiting
    this.#waiting = ''
    // If the reader is too slow, lines are dropped: kept, they would fill the memory.
    if (text !== '' && !this.#output.writableNeedDrain) this.#output.write(text)
  }
}
