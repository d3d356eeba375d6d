const FULL_CHARACTERS = 65_536
const LONGEST_WAIT_MS = 250

/**
 * Gathers log lines and writes many at once: a write for each line would cost more than answering a list. What waits is written
 * when the process ends, however it ends, short of being killed.
 */
export class LogLines {
  readonly #output: { write(text: string): unknown }
  #waiting = ''
  #timer: NodeJS.Timeout | undefined

  constructor(output: { write(text: string): unknown }) {
    this.#output = output
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
    if (text !== '') this.#output.write(text)
  }
}
