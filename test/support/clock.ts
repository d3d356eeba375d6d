/** A clock that only moves when a test moves it. It starts at noon, between two whole seconds. */
export class Clock {
  /** Unix milliseconds. */
  now: number

  constructor(now = Date.UTC(2027, 2, 1, 12, 0, 0, 250)) {
    this.now = now
  }

  /** By whole milliseconds, because the store keeps nothing finer. */
  advance(ms: number): void {
    if (!Number.isInteger(ms)) throw new RangeError(`${ms} ms are not whole.`)
    this.now += ms
  }

  advanceSeconds(seconds: number): void {
    this.advance(seconds * 1_000)
  }
}
