import { reasonOf } from '../../domain/system-error.ts'
import { DAY_MS } from '../../domain/time.ts'
import { judgeSpace, type Space } from './disk.ts'
import { fail, type Verdict, warn } from './verdict.ts'

/** The pace is that of the last week, or of as much of it as is known. */
const PACE_MS = 7 * DAY_MS
/** A shorter time would take one import for the usual pace. */
const MIN_PACE_MS = DAY_MS
const WARN_BELOW_DAYS = 14
/** A disk that lasts longer is not worth a number. */
const MAX_DAYS = 365

/** The disk of the embedded store: how much of it is free, and for how many days. */
export class DiskWatch {
  readonly #read: () => Space
  /** The free space at earlier times, in Unix milliseconds; oldest first. */
  #samples: { at: number; freeBytes: number }[] = []

  constructor(read: () => Space) {
    this.#read = read
  }

  /** To be called about once an hour. */
  sample(now: number): void {
    const { freeBytes } = this.#read()
    this.#samples = [...this.#samples.filter(({ at }) => at > now - PACE_MS && at < now), { at: now, freeBytes }]
  }

  check(now: number): Verdict {
    try {
      const space = this.#read()
      const { outcome, message } = judgeSpace(space)
      const days = this.#daysLeft(space.freeBytes, now)
      if (days === undefined) return { outcome, message: `Of the disk with the store, ${message}.` }
      const pace = `At the pace of the last days, it will be full in ${days === 1 ? 'a day' : `${days} days`}.`
      const verdict = outcome === 'ok' && days < WARN_BELOW_DAYS ? warn : (text: string) => ({ outcome, message: text })
      return verdict(`Of the disk with the store, ${message}. ${pace}`)
    } catch (error) {
      return fail(`The free space on the disk with the store is unknown: ${reasonOf(error)}.`)
    }
  }

  #daysLeft(freeBytes: number, now: number): number | undefined {
    const [first] = this.#samples
    if (!first || now - first.at < MIN_PACE_MS) return undefined
    const perMs = (first.freeBytes - freeBytes) / (now - first.at)
    const days = Math.max(1, Math.floor(freeBytes / perMs / DAY_MS))
    return perMs > 0 && days <= MAX_DAYS ? days : undefined
  }
}
