import type { Writable } from 'node:stream'
import { formatNumber } from '../../domain/format-number.ts'

interface Terminal extends Writable {
  isTTY?: boolean
  columns?: number
}

export interface Step {
  /** Such as `Reading`. */
  doing: string
  /** The completed share, from 0 to 1; undefined if the total is unknown. */
  share?: number | undefined
  /** The number of animals, lines or rows so far. */
  count: number
}

const REDRAW_MS = 100
const BAR_CHARACTERS = 24
const MAX_WIDTH = 80
const ERASE_LINE = '\r\u001b[K'

/** A line at the bottom of a terminal with the current step, its progress, its speed and the time left. Elsewhere, nothing is shown. */
export class Progress {
  readonly #output: Terminal
  readonly #clock: () => number
  readonly #startedAt: number
  #drawnAt = Number.NEGATIVE_INFINITY
  #isShown = false

  /** @param clock monotonic, in milliseconds */
  constructor(output: Terminal, clock: () => number) {
    this.#output = output
    this.#clock = clock
    this.#startedAt = clock()
  }

  /** Redraws the line, at most every `REDRAW_MS`. */
  show(step: Step): void {
    const now = this.#clock()
    if (!this.#output.isTTY || now - this.#drawnAt < REDRAW_MS) return
    this.#drawnAt = now
    this.#isShown = true
    const width = Math.min(this.#output.columns || MAX_WIDTH, MAX_WIDTH) - 1
    this.#output.write(ERASE_LINE + formatStep(step, (now - this.#startedAt) / 1_000).slice(0, width))
  }

  /** Redraws the line immediately, for a long step during which nothing can be drawn. */
  showNow(step: Step): void {
    this.#drawnAt = Number.NEGATIVE_INFINITY
    this.show(step)
  }

  /** Writes whole lines above the progress line. */
  print(text: string): void {
    this.clear()
    this.#output.write(text)
  }

  clear(): void {
    if (this.#isShown) this.#output.write(ERASE_LINE)
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
  if (share !== undefined && share > 0 && share < 1)
    parts.push(`${formatDuration((seconds / share) * (1 - share))} left`)
  return parts.join(' ')
}

function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
