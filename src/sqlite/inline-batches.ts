import { Batches, type BatchRunner, type StoreFile } from './batches.ts'
import type { WriteCall } from './writes.ts'

/** Runs batches in the calling thread, which waits for the disk. */
export class InlineBatches implements BatchRunner {
  readonly #file: StoreFile
  /** Connected by the first batch, because most commands only read. */
  #batches: Batches | undefined

  constructor(file: StoreFile) {
    this.#file = file
  }

  async run(batch: readonly WriteCall[]): Promise<unknown[]> {
    this.#batches ??= new Batches(this.#file)
    return this.#batches.carryOut(batch)
  }

  async close(): Promise<void> {
    this.#batches?.close()
  }
}
