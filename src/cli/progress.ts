import type { Writable } from 'node:stream'
import { formatNumber } from './text.ts'

/** Where the progress is shown. */
interface Terminal extends Writable {
  isTTY?: boolean
  columns?: number
}

export interface Step {
  /** Such as `Reading`. */
  doing: string
  /** The share that is done, from 0 to 1; undefined where nobody knows. */
  share?: number | undefined
  /** How many animals, or lines, so far. */
  count: number
}

const REDRAW_MS = 100
const BAR_CHARACTERS = 24
const WIDEST = 80
const BACK_AND_ERASE = '\r\u001b[K'

/**
 * One line at the bottom of a terminal: what is being done, how far it is, how fast, and how long it will take. Shown to a
 * terminal alone, and gone when all is done.
 */
export class Progress {
  readonly #output: Terminal
  readonly #clock: () => number
  readonly #startedAt: number
  #drawnAt = Number.NEGATIVE_INFINITY
  #isShown = false

  /** @param clock milliseconds from anywhere */
  constructor(output: Terminal, clock: () => number) {
    this.#output = output
    this.#clock = clock
    this.#startedAt = clock()
  }

  /** Draws it anew, if the last time is long enough ago. */
  show(step: Step): void {
    const now = this.#clock()
    if (!this.#output.isTTY || now - this.#drawnAt < REDRAW_MS) return
    this.#drawnAt = now
    this.#isShown = true
    const width = Math.min(this.#output.columns || WIDEST, WIDEST) - 1
    this.#output.write(BACK_AND_ERASE + formatStep(step, (now - this.#startedAt) / 1_000).slice(0, width))
  }

  /** Draws it whenever the last time was: what comes next takes long, and nothing can be drawn meanwhile. */
  showNow(step: Step): void {
    this.#drawnAt = Number.NEGATIVE_INFINITY
    this.show(step)
  }

  /** Writes whole lines above it. */
  print(text: string): void {
    this.clear()
    this.#output.write(text)
  }

  clear(): void {
    if (this.#isShown) this.#output.write(BACK_AND_ERASE)
    this.#isShown = false
    this.#drawnAt = Number.NEGATIVE_INFINITY
  }
}

function formatStep({ doing, share, count }: Step, seconds: number): string {
  const speed = seconds > 0 ? Math.round(count / seconds) : 0
  const parts = [doing]
  if (share !== undefined) {
    const filled = Math.round(share * BAR_CHARACTERS)
    parts.push(
      `[${'#'.repeat(filled)}${'-'.repeat(BAR_CHARACTERS - filled)}]`,
      `${Math.floor(share * 100)}%`.padStart(4),
    )
  }
  parts.push(formatNumber(count), `${formatNumber(speed)}/s`)
  if (share !== undefined && share > 0 && share < 1) parts.push(`${formatTime((seconds / share) * (1 - share))} left`)
  return parts.join(' ')
}

function formatTime(seconds: number): string {
  const whole = Math.ceil(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
