import type { Outcome } from './caller.ts'

/** The figures of one scenario. `undefined`: it does not count this. */
export interface Figures {
  /** Creations answered with 201. */
  acknowledged: number
  /** Acknowledged animals that a walk over all pages meets afterwards, as they were acknowledged. */
  found: number
  /** Acknowledged animals that it does not meet. */
  lost: number
  /** Creations that made more than one animal. */
  doubled: number
  /** Calls answered with 4xx, or with 503 and Retry-After: the caller knows that nothing was done, and when to try again. */
  refused: number
  /** Calls without an answer for ten seconds. */
  hung: number
  /** Any other answer with 5xx. */
  serverErrors: number
  /** Calls whose connection broke before the answer was complete. */
  cutOff: number
  /** The longest time from a call to its answer, in milliseconds. */
  longestWaitMs: number
}

/** A picture for docs/images. */
export interface Chart {
  file: string
  title: string
  svg: string
}

const MAX_FAILURES = 20

/** Counts what callers see of one scenario, and collects what is wrong. */
export class Tally {
  readonly figures: Figures = {
    acknowledged: 0,
    found: 0,
    lost: 0,
    doubled: 0,
    refused: 0,
    hung: 0,
    serverErrors: 0,
    cutOff: 0,
    longestWaitMs: 0,
  }
  /** What else the run has shown, for docs/reliability.md. */
  readonly notes: string[] = []
  /** As Markdown. */
  readonly tables: string[] = []
  readonly charts: Chart[] = []
  readonly #failures: string[] = []

  /** Counts one call of a caller who behaves well. */
  count(outcome: Outcome): void {
    const { figures } = this
    if (outcome.kind === 'hung') figures.hung += 1
    if (outcome.kind === 'cut off') figures.cutOff += 1
    if (outcome.kind !== 'answered') return
    const { answer, waitMs } = outcome
    figures.longestWaitMs = Math.max(figures.longestWaitMs, waitMs)
    if (answer.status === 503 && answer.header('retry-after') !== undefined) figures.refused += 1
    else if (answer.status >= 500) figures.serverErrors += 1
    else if (answer.status >= 400) figures.refused += 1
  }

  note(text: string): void {
    this.notes.push(text)
  }

  /** Records a failure unless it is so. The first of many say enough. */
  expect(isSo: boolean, failure: string): void {
    if (!isSo && this.#failures.length < MAX_FAILURES) this.#failures.push(failure)
  }

  /** What is wrong; empty: nothing. */
  get failures(): string[] {
    const { lost, doubled, hung, serverErrors } = this.figures
    const never = { lost, doubled, hung, 'answered with 5xx': serverErrors }
    const wrong = Object.entries(never).filter(([, count]) => count > 0)
    return [...wrong.map(([what, count]) => `${count} ${what}`), ...this.#failures]
  }
}
