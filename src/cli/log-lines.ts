import type { Writable } from 'node:stream'

const FULL_CHARACTERS = 65_536
const LONGEST_WAIT_MS = 250

/**
 * Gathers log lines and writes many at once: a write for each line would cost more than answering a list. What waits is written
 * when the process ends, however it ends, short of being killed.
 */
export class LogLines {
  readonly #output: Writable
  #waiting = ''
  #timer: NodeJS.Timeout | undefined

  constructor(output: Writable) {
    this.#output = output
    // A log that cannot be written is no reason to stop answering.
    output.on('error', () => {})
    process.on('exit', () => this.flush())
  }

  write(line: string): void {
    this.#waiting += line
    if (this.#waiting.length >= FULL_CHARACTERS) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), LONGEST_WAIT_MS)
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const text = this.#waiting
    this.#waiting = ''
    // Lines that nobody takes are dropped: kept, they would fill the memory.
    if (text !== '' && !this.#output.writableNeedDrain) this.#output.write(text)
  }
}
