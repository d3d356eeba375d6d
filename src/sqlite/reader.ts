import { StoreUnavailable } from '../domain/errors.ts'
import { Places } from '../domain/places.ts'
import type { LongReadName } from '../sql/operations.ts'
import type { StoreFile } from './batches.ts'
import { readFailure } from './sqlite-errors.ts'
import { Thread } from './thread.ts'

export type ReadCall = [name: LongReadName, question: unknown]

/** The maximum number of running and queued reads. Each may take a second: the callers of more reads would disconnect before their turn. */
const MAX_READS = 16

/** Runs reads that may take long in a separate thread, so that they do not delay the calls being served. */
export class Reader {
  readonly #thread: Thread<ReadCall, unknown>
  readonly #turns = new Places(1)
  #reads = 0

  /** @param file if its files are replaced, nothing is read from the new ones */
  constructor(file: StoreFile) {
    this.#thread = new Thread(new URL('reader-thread.ts', import.meta.url), file)
  }

  /** @param signal cancels the read while it waits for its turn */
  async read(name: LongReadName, question: unknown, signal?: AbortSignal): Promise<unknown> {
    if (this.#reads === MAX_READS) throw readFailure(new Error('Too many long reads are waiting.'))
    this.#reads += 1
    try {
      using _turn = await this.#turns.take(signal)
      return await this.#thread.ask([name, question]).catch(orUnavailable)
    } finally {
      this.#reads -= 1
    }
  }

  /** Aborts the running read. */
  close(): Promise<void> {
    return this.#thread.close()
  }
}

function orUnavailable(error: unknown): never {
  throw error instanceof StoreUnavailable ? error : readFailure(error)
}
