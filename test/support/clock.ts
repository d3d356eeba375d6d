/** A clock that stands still until a test moves it. Begins at noon, between two whole seconds. */
export class Clock {
  /** Unix milliseconds. */
  now: number

  constructor(now = Date.UTC(2027, 2, 1, 12, 0, 0, 250)) {
    this.now = now
  }

  advance(ms: number): void {
    this.now += ms
  }

  advanceSeconds(seconds: number): void {
    this.advance(seconds * 1_000)
  }
}
