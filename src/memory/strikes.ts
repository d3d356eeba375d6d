import { MAX_SOURCES, type Strikes, strike } from '../domain/ban.ts'

/** The strikes of one key in one exhausted window, by source. When full, it forgets the source that was not refused for the longest time. */
export class KeyStrikes {
  readonly windowResetsAt: number
  /** The least recently refused source is the first. */
  readonly #sources = new Map<string, Strikes>()

  constructor(windowResetsAt: number) {
    this.windowResetsAt = windowResetsAt
  }

  /** Notes another refusal. Returns whether it earns a ban. */
  add(source: string, now: number, after: number, withinSeconds: number): boolean {
    const { strikes, earnsBan } = strike(this.#sources.get(source), now, after, withinSeconds)
    this.#sources.delete(source)
    this.#sources.set(source, strikes)
    if (this.#sources.size > MAX_SOURCES) {
      for (const oldest of this.#sources.keys()) {
        this.#sources.delete(oldest)
        break
      }
    }
    return earnsBan
  }

  forget(source: string): void {
    this.#sources.delete(source)
  }
}
