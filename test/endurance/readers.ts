import { setTimeout as sleep } from 'node:timers/promises'
import { getRequest } from '../hostile/phases.ts'
import { Caller } from './caller.ts'
import type { Creators } from './creators.ts'
import type { ServiceUnderTest } from './service-under-test.ts'
import type { Tally } from './tally.ts'

/** The pause between two calls of a reader. Readers check that reads work, and leave the processor to callers that add animals. */
const PAUSE_MS = 5
const READERS = 4
/** Different pages, so the service does not answer the next reader from its cache. */
const PATHS = ['/v1/pets?limit=20', '/v1/pets?limit=100', '/v1/pets?status=available&limit=50', '/v1/pets/1']

/** Callers that read continuously, and compare what they get with what was acknowledged. */
export class Readers {
  /** The numbers of reads that were answered with 200, and that were not. */
  served = 0
  unserved = 0
  longestWaitMs = 0
  readonly #service: ServiceUnderTest
  readonly #tally: Tally
  readonly #creators: Creators
  #isOver = true
  #working: Promise<unknown> = Promise.resolve()

  constructor(service: ServiceUnderTest, tally: Tally, creators: Creators) {
    this.#service = service
    this.#tally = tally
    this.#creators = creators
  }

  start(): void {
    this.#isOver = false
    this.#working = Promise.all(Array.from({ length: READERS }, () => this.#work()))
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#working
  }

  async #work(): Promise<void> {
    const caller = new Caller(this.#service.port)
    for (let turn = 0; !this.#isOver; turn += 1) {
      await this.#read(caller, PATHS[turn % PATHS.length] as string)
      await sleep(PAUSE_MS)
    }
    caller.close()
  }

  async #read(caller: Caller, path: string): Promise<void> {
    const outcome = await caller.call(getRequest(path, this.#service.key))
    this.#tally.count(outcome)
    if (outcome.kind !== 'answered' || outcome.answer.status !== 200) {
      this.unserved += 1
      return
    }
    this.served += 1
    this.longestWaitMs = Math.max(this.longestWaitMs, outcome.waitMs)
    for (const pet of [outcome.answer.json].flat()) {
      const isTrue = this.#creators.agreesWith(pet)
      this.#tally.expect(isTrue, `${path} shows animal ${pet.id} as ${pet.name}, which is not what was acknowledged`)
    }
  }
}
