import { createHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequest } from '../hostile/phases.ts'
import { Caller } from './caller.ts'
import type { Creators } from './creators.ts'
import type { Target } from './found.ts'
import type { Tally } from './tally.ts'

/** One call in twenty adds an animal: most callers read, few add. */
const ONE_CREATION_IN = 20
const LISTS = ['limit=20', 'limit=20', 'limit=100', 'status=available', 'status=sold&limit=5', 'limit=1']
/** Calls at a given rate share this many connections. If all are busy, a call waits for one, and that wait is counted. */
const CONNECTIONS = 256
/** How late calls may be before the service counts as overloaded. */
const MAX_LATE_MS = 10_000

/** The calls of an ordinary day, at any rate: pages, single animals, new animals. */
export class Traffic {
  /** Time from when a read is due to its answer, in microseconds. */
  readonly waits = createHistogram()
  calls = 0
  readonly #service: Target
  readonly #tally: Tally
  readonly #creators: Creators
  readonly #lists: string[]

  constructor(service: Target, tally: Tally, creators: Creators) {
    this.#service = service
    this.#tally = tally
    this.#creators = creators
    this.#lists = LISTS.map(query => getRequest(`/v1/pets?${query}`, service.key))
  }

  /** Calls as fast as this many callers can, each with one call at a time. Returns the calls per second. */
  async saturate(callers: number, seconds: number): Promise<number> {
    const before = this.calls
    const deadline = performance.now() + seconds * 1_000
    await this.#work(callers, async call => {
      while (performance.now() < deadline) await call(performance.now())
    })
    return (this.calls - before) / seconds
  }

  /** Calls at a fixed rate, however long the answers take. */
  async keepUp(perSecond: number, seconds: number): Promise<void> {
    const startedAt = performance.now()
    let next = 0
    await this.#work(CONNECTIONS, async call => {
      for (;;) {
        const dueAt = startedAt + (next++ / perSecond) * 1_000
        if (dueAt > startedAt + seconds * 1_000) return
        const early = dueAt - performance.now()
        if (early > 0) await sleep(early)
        if (early < -MAX_LATE_MS) throw new Error(`Calls are ${Math.round(-early)} ms late: the service falls behind.`)
        await call(dueAt)
      }
    })
  }

  async #work(callers: number, turn: (call: (dueAt: number) => Promise<void>) => Promise<void>): Promise<void> {
    const work = async () => {
      const caller = new Caller(this.#service.port)
      try {
        await turn(dueAt => this.#call(caller, dueAt))
      } finally {
        caller.close()
      }
    }
    await Promise.all(Array.from({ length: callers }, work))
  }

  async #call(caller: Caller, dueAt: number): Promise<void> {
    const number = this.calls++
    if (number % ONE_CREATION_IN === 0) await this.#creators.addOne(caller)
    else await this.#read(caller, number, dueAt)
  }

  async #read(caller: Caller, number: number, dueAt: number): Promise<void> {
    const list = this.#lists[number % this.#lists.length] as string
    const { acknowledged } = this.#creators
    const isSingle = number % 7 === 0 && acknowledged > 0
    const one = () => getRequest(`/v1/pets/${1 + (number % acknowledged)}`, this.#service.key)
    const outcome = await caller.call(isSingle ? one() : list)
    this.#tally.count(outcome)
    if (outcome.kind !== 'answered') return
    this.waits.record(Math.max(1, Math.round((performance.now() - dueAt) * 1_000)))
    this.#tally.expect(outcome.answer.status === 200, `a read returned ${outcome.answer.status}`)
  }
}
