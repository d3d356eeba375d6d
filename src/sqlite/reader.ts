import { Worker } from 'node:worker_threads'
import { StoreDamaged, StoreUnavailable } from '../domain/errors.ts'
import type { Reads } from './reads.ts'

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
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
  /** Answered in the order in which they were asked. */
  #waiting: Waiting[] = []

  constructor(file: string) {
    this.#file = file
  }

  read<Name extends keyof Reads>(name: Name, ...args: Parameters<Reads[Name]>): Promise<ReturnType<Reads[Name]>> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(unavailable(new Error('The store is closed.')))
      if (this.#waiting.length >= MOST_WAITING)
        return reject(unavailable(new Error('Too many long reads are waiting.')))
      this.#thread ??= this.#start()
      this.#waiting.push({ resolve: resolve as (value: unknown) => void, reject })
      this.#thread.postMessage([name, ...args])
    })
  }

  /** Breaks off what is being read. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#thread?.terminate()
  }

  #start(): Worker {
    const thread = new Worker(new URL('reader-thread.ts', import.meta.url), { workerData: this.#file })
    thread.on('message', (outcome: ReadOutcome) => {
      const read = this.#waiting.shift()
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
      for (const { reject } of this.#waiting.splice(0)) reject(unavailable(stopped))
    })
    return thread
  }
}

function unavailable(cause: Error): StoreUnavailable {
  return new StoreUnavailable('The store cannot be read just now.', { cause })
}
