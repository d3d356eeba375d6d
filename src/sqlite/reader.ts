import { Worker } from 'node:worker_threads'
import { StoreDamaged, StoreUnavailable } from '../domain/errors.ts'
import type { Reads } from './reads.ts'

interface Waiting {
  read: [name: keyof Reads, ...args: unknown[]]
  resolve(value: unknown): void
  reject(reason: unknown): void
}

/** What a read came to. An error that is sent to another thread loses its class. */
type ReadOutcome = { result: unknown } | { error: Error; isDamage: boolean }

/** More than this many do not wait: each may take a second, and whoever asked has long gone when the last is done. */
const MOST_WAITING = 16

/** Reads that go through much of the store, in a thread of their own: the calls being served must not wait for them. */
export class Reader {
  readonly #file: string
  /** Started by the first read. */
  #thread: Worker | undefined
  #closed = false
  /** What the thread is at. */
  #underway: Waiting | undefined
  /** Begun in the order in which they were asked. */
  #waiting: Waiting[] = []

  constructor(file: string) {
    this.#file = file
  }

  /** @param signal takes the read back while it waits for its turn */
  read<Name extends keyof Reads>(
    name: Name,
    args: Parameters<Reads[Name]>,
    signal?: AbortSignal,
  ): Promise<ReturnType<Reads[Name]>> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      if (this.#closed) return reject(unavailable(new Error('The store is closed.')))
      if (this.#waiting.length + Number(this.#underway !== undefined) >= MOST_WAITING)
        return reject(unavailable(new Error('Too many long reads are waiting.')))
      const waiting: Waiting = { read: [name, ...args], resolve: resolve as (value: unknown) => void, reject }
      signal?.addEventListener('abort', () => this.#takeBack(waiting, signal.reason), { once: true })
      this.#waiting.push(waiting)
      this.#next()
    })
  }

  /** Breaks off what is being read. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#thread?.terminate()
  }

  #next(): void {
    if (this.#underway) return
    this.#underway = this.#waiting.shift()
    if (!this.#underway) return
    this.#thread ??= this.#start()
    this.#thread.postMessage(this.#underway.read)
  }

  #takeBack(waiting: Waiting, reason: unknown): void {
    const at = this.#waiting.indexOf(waiting)
    if (at === -1) return
    this.#waiting.splice(at, 1)
    waiting.reject(reason)
  }

  #start(): Worker {
    const thread = new Worker(new URL('reader-thread.ts', import.meta.url), { workerData: this.#file })
    thread.on('message', (outcome: ReadOutcome) => {
      const read = this.#underway
      this.#underway = undefined
      this.#next()
      if ('result' in outcome) read?.resolve(outcome.result)
      else if (outcome.isDamage) read?.reject(new StoreDamaged('The store is damaged.', { cause: outcome.error }))
      else read?.reject(unavailable(outcome.error))
    })
    let cause: unknown
    thread.on('error', error => {
      cause = error
    })
    thread.on('exit', () => {
      this.#thread = undefined
      const stopped = new Error('The reader has stopped.', { cause })
      const failed = [...(this.#underway ? [this.#underway] : []), ...this.#waiting.splice(0)]
      this.#underway = undefined
      for (const { reject } of failed) reject(unavailable(stopped))
    })
    return thread
  }
}

function unavailable(cause: Error): StoreUnavailable {
  return new StoreUnavailable('The store cannot be read just now.', { cause })
}
