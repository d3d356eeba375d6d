/**
 * What a server's clock says now, told from what it said in its answers. Local times are of this process's monotonic clock
 * (`performance.now()`). The estimate is never ahead of the server's clock, and behind it by no more than an answer takes on its way.
 */
export class ServerClock {
  /** By how much the server's clock is ahead of the local one, at least. */
  #ahead: number | undefined

  get isKnown(): boolean {
    return this.#ahead !== undefined
  }

  /** Notes what the server's clock said in the answer to what was sent to it. */
  note(time: number, sentAt: number, receivedAt: number): void {
    // It says whole milliseconds: up to one more may have passed.
    const wasSetBack = this.#ahead !== undefined && time + 1 - sentAt < this.#ahead
    if (this.#ahead === undefined || wasSetBack || time - receivedAt > this.#ahead) this.#ahead = time - receivedAt
  }

  /** Unix milliseconds. */
  at(localTime: number): number {
    return Math.floor(localTime + (this.#ahead ?? 0))
  }
}
