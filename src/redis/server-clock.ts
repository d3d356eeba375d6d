/** The maximum error of the estimate of the server's clock, in milliseconds. */
export const MAX_CLOCK_ERROR_MS = 200

/**
 * Estimates the clock of a server from its responses. Local times are on this process's monotonic clock (`performance.now()`). The estimate is
 * never ahead of the server's clock, and behind it by at most the time that a response takes to arrive.
 */
export class ServerClock {
  /** A lower bound for how far the server's clock is ahead of the local clock. */
  #ahead: number | undefined

  get isKnown(): boolean {
    return this.#ahead !== undefined
  }

  /** Updates the estimate with the server's time in a response that arrives now, to a request sent at `sentAt`. */
  note(serverTime: number, sentAt: number, receivedAt = performance.now()): void {
    // The server's time is truncated to milliseconds: it may be up to one millisecond later.
    const wasSetBack = this.#ahead !== undefined && serverTime + 1 - sentAt < this.#ahead
    const ahead = serverTime - receivedAt
    if (this.#ahead === undefined || wasSetBack || ahead > this.#ahead) this.#ahead = ahead
  }

  /** The server's time, in Unix milliseconds. */
  at(localTime: number): number {
    return Math.floor(localTime + (this.#ahead ?? 0))
  }
}
