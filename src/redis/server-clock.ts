/** The estimate of the server's clock is wrong by no more than this, in milliseconds. */
export const MAX_CLOCK_ERROR_MS = 200

/**
 * Estimates the clock of a server from its answers. Local times are those of this process's monotonic clock (`performance.now()`). The
 * estimate is never ahead of the server's clock, and behind it by no more than the time an answer takes to arrive.
 */
export class ServerClock {
  /** How far the server's clock is ahead of the local one, at least. */
  #ahead: number | undefined

  get isKnown(): boolean {
    return this.#ahead !== undefined
  }

  /** Learns from the server's time in an answer that arrives now, to a question sent at `sentAt`. */
  note(serverTime: number, sentAt: number, receivedAt = performance.now()): void {
    // The server's time is cut to whole milliseconds: it may be up to one later.
    const wasSetBack = this.#ahead !== undefined && serverTime + 1 - sentAt < this.#ahead
    const ahead = serverTime - receivedAt
    if (this.#ahead === undefined || wasSetBack || ahead > this.#ahead) this.#ahead = ahead
  }

  /** The server's time, in Unix milliseconds. */
  at(localTime: number): number {
    return Math.floor(localTime + (this.#ahead ?? 0))
  }
}
