import { setTimeout as sleep } from 'node:timers/promises'
import { petJson } from '../support/pets.ts'
import { Caller } from './caller.ts'
import { countFound, type Target } from './found.ts'
import type { Tally } from './tally.ts'

/** How long a caller waits before it retries. Real callers would wait longer; these put the service under pressure. */
const RETRY_AFTER_MS = 50
/** How long the last open creations may take once the fault is over. */
const SETTLE_MS = 30_000
const REPEATED = 5

/** Callers that add animals without pausing, retry unacknowledged creations with their idempotency keys, and remember every answer. */
export class Creators {
  readonly #service: Target
  readonly #tally: Tally
  readonly #count: number
  readonly #prefix: string
  /** Shorter names are padded to this length: long names make large pages. */
  readonly #nameLength: number
  readonly #acknowledged = new Map<string, number>()
  readonly #open = new Set<string>()
  #made = 0
  #replays = 0
  #isOver = true
  #working: Promise<unknown> = Promise.resolve()

  constructor(service: Target, tally: Tally, { count = 16, prefix = 'animal', nameLength = 0 } = {}) {
    this.#service = service
    this.#tally = tally
    this.#count = count
    this.#prefix = prefix
    this.#nameLength = nameLength
  }

  /** The number of creations that were sent and are not yet acknowledged. */
  get open(): number {
    return this.#open.size
  }

  get acknowledged(): number {
    return this.#acknowledged.size
  }

  /** The number of retried creations that had already succeeded. */
  get replays(): number {
    return this.#replays
  }

  /** Whether an animal that a call returned was created here, with the id that was acknowledged. */
  agreesWith({ id, name }: { id: number; name: string }): boolean {
    return this.#open.has(name) || this.#acknowledged.get(name) === id
  }

  start(): void {
    this.#isOver = false
    this.#working = Promise.all(Array.from({ length: this.#count }, () => this.#work(() => this.#nextName())))
  }

  /** Adds one animal, between other calls. If that fails, `settle` retries it. */
  async addOne(caller: Caller): Promise<void> {
    await this.#create(caller, this.#nextName())
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#working
  }

  /** Retries open creations until all are acknowledged: each creates one animal, or has already created it. */
  async settle(): Promise<void> {
    await this.stop()
    this.#isOver = false
    const open = [...this.#open]
    this.#open.clear()
    const timer = setTimeout(() => {
      this.#isOver = true
    }, SETTLE_MS)
    await Promise.all(Array.from({ length: this.#count }, () => this.#work(() => open.pop())))
    clearTimeout(timer)
    const left = open.length + this.#open.size
    this.#tally.expect(left === 0, `${left} creations cannot be completed afterwards`)
  }

  /** Repeats the creations that were acknowledged last. Each must return the animal that it created. */
  async repeatNewest(): Promise<void> {
    const caller = new Caller(this.#service.port)
    for (const [name, id] of [...this.#acknowledged].slice(-REPEATED)) {
      const outcome = await caller.call(creation(name, this.#service.key), 'POST')
      this.#tally.count(outcome)
      const isReplayed = outcome.kind === 'answered' && outcome.answer.status === 201 && outcome.answer.json.id === id
      const answer = outcome.kind === 'answered' ? outcome.answer.text : outcome.kind
      this.#tally.expect(isReplayed, `the repeated creation of animal ${id} returned ${answer}`)
    }
    caller.close()
  }

  /** Reads all pages, and counts the acknowledged animals on them. */
  async compare(): Promise<void> {
    await countFound(this.#service, this.#tally, { prefix: this.#prefix, acknowledged: this.#acknowledged })
  }

  /** Waits until this many more creations are acknowledged. Returns whether they were, in time. */
  async succeed(more: number, withinMs: number): Promise<boolean> {
    const goal = this.acknowledged + more
    const deadline = performance.now() + withinMs
    while (this.acknowledged < goal && performance.now() < deadline) await sleep(5)
    return this.acknowledged >= goal
  }

  #nextName(): string {
    this.#made += 1
    return `${this.#prefix}-${this.#made}-`.padEnd(this.#nameLength, 'x')
  }

  async #work(nextName: () => string | undefined): Promise<void> {
    const caller = new Caller(this.#service.port)
    for (let name: string | undefined; !this.#isOver; ) {
      name ??= nextName()
      if (name === undefined) break
      if (await this.#create(caller, name)) name = undefined
      else await sleep(RETRY_AFTER_MS)
    }
    caller.close()
  }

  /** Returns whether it is acknowledged. */
  async #create(caller: Caller, name: string): Promise<boolean> {
    this.#open.add(name)
    const outcome = await caller.call(creation(name, this.#service.key), 'POST')
    this.#tally.count(outcome)
    if (outcome.kind !== 'answered' || outcome.answer.status !== 201) return false
    const { json } = outcome.answer
    this.#tally.expect(json.name === name, `the creation of ${name} returned ${json.name}`)
    if (outcome.answer.header('idempotency-replayed') === 'true') this.#replays += 1
    this.#acknowledged.set(name, json.id)
    this.#open.delete(name)
    this.#tally.figures.acknowledged += 1
    return true
  }
}

/** A request that adds an animal; its name is its idempotency key. */
function creation(name: string, key: string): string {
  const body = petJson({ name: JSON.stringify(name) })
  const head = [
    'POST /v1/pets HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Idempotency-Key: ${name}`,
    `Content-Length: ${body.length}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
