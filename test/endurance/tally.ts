import type { Outcome } from './caller.ts'

/** The numbers of one scenario. */
export interface Figures {
  /** Creations answered with 201. */
  acknowledged: number
  /** Acknowledged animals that are in the list afterwards, with the acknowledged id. */
  found: number
  /** Acknowledged animals that are not. */
  lost: number
  /** Creations that made more than one animal. */
  doubled: number
  /** Calls answered with 4xx, or with 503 and Retry-After: nothing was done, and the caller knows when to retry. */
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

/** Counts what callers see during one scenario, and collects failures. */
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
  /** Other results of the run, for docs/reliability.md. */
  readonly notes: string[] = []
  readonly charts: Chart[] = []
  readonly #failures: string[] = []

  /** Counts one call of a well-behaved caller. */
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

  /** Records a failure if the condition is false. Keeps only the first ones. */
  expect(isSo: boolean, failure: string): void {
    if (!isSo && this.#failures.length < MAX_FAILURES) this.#failures.push(failure)
  }

  /** All failures; empty if the scenario passed. */
  get failures(): string[] {
    const { lost, doubled, hung, serverErrors } = this.figures
    const never = { lost, doubled, hung, 'answered with 5xx': serverErrors }
    const wrong = Object.entries(never).filter(([, count]) => count > 0)
    return [...wrong.map(([what, count]) => `${count} ${what}`), ...this.#failures]
  }
}
