import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../../../src/domain/account.ts'
import { inTime } from '../in-time.ts'
import { SOURCE } from '../source.ts'
import type { TestLimiters } from './redis-limiters.ts'

/** An instance waits up to a second for Redis. The rest is for the store, and for the other calls of this process. */
const CALL_MS = 1_000 + 500
/** How often the service saves the counts. */
const SAVE_EVERY_MS = 500

/** Calls of many accounts on several instances, until it is stopped. */
export class LimitLoad {
  calls = 0
  /** When each admitted call of an account was decided, by `performance.now()`. */
  readonly #admitted: ReadonlyMap<Caller, number[]>
  readonly #working: Promise<unknown>
  #isOver = false
  #tooLong: Error | undefined

  /** @param everyMs each account makes a call on each instance this often */
  constructor(instances: readonly TestLimiters[], callers: readonly Caller[], everyMs: number) {
    this.#admitted = new Map(callers.map(caller => [caller, []]))
    const calling = instances.flatMap(instance => callers.map(caller => this.#call(instance, caller, everyMs)))
    this.#working = Promise.all([...calling, ...instances.map(instance => this.#save(instance))])
  }

  /** How many calls of an account were admitted, from one moment to another. */
  admitted(caller: Caller, from = 0, to = Number.POSITIVE_INFINITY): number {
    return (this.#admitted.get(caller) ?? []).filter(at => at >= from && at < to).length
  }

  /** Fails if a call took too long. */
  async stop(): Promise<void> {
    this.#isOver = true
    await this.#working
    if (this.#tooLong) throw this.#tooLong
  }

  async #call({ accounts }: TestLimiters, caller: Caller, everyMs: number): Promise<void> {
    await sleep(Math.random() * everyMs)
    while (!this.#isOver) {
      const startedAt = performance.now()
      const decided = accounts.consume(caller, SOURCE, Date.now())
      inTime(CALL_MS, 'a call', decided).catch(error => {
        this.#tooLong = error
      })
      const { outcome } = await decided
      const endedAt = performance.now()
      this.calls += 1
      if (outcome === 'admitted') this.#admitted.get(caller)?.push(endedAt)
      await sleep(Math.max(0, startedAt + everyMs - endedAt))
    }
  }

  async #save({ accounts }: TestLimiters): Promise<void> {
    while (!this.#isOver) {
      await accounts.save(Date.now())
      await sleep(SAVE_EVERY_MS)
    }
  }
}
