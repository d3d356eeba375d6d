import type { Share } from './client-room.ts'
import type { PetFileThread } from './pet-file-worker.ts'
import type { TemporaryFile } from './temporary-file.ts'
import { unpackError } from './thread-error.ts'

const READ_BYTES = 65_536

/** A file that a thread writes while it is being read. */
export class ExportedFile {
  readonly #file: TemporaryFile
  readonly #share: Share
  readonly #signal: AbortSignal
  #isDone = false
  #error: unknown
  #changed = Promise.withResolvers<void>()

  constructor(thread: PetFileThread, file: TemporaryFile, share: Share, signal: AbortSignal) {
    this.#file = file
    this.#share = share
    this.#signal = signal
    void this.#follow(thread).catch(error => {
      this.#error ??= error
      this.#wake()
    })
  }

  /** Yields undefined as soon as there is something to read, then the parts of the file. Throws if the export fails. */
  async *chunks(opened: AsyncDisposableStack): AsyncGenerator<Uint8Array | undefined, void> {
    await using _ = opened
    const share = this.#share
    await this.#changed.promise
    if (this.#error) throw this.#error
    yield undefined
    for (;;) {
      this.#signal.throwIfAborted()
      const { promise } = this.#changed
      const left = share.bytes - share.moved
      if (left > 0) {
        const chunk = await this.#file.read(Math.min(left, READ_BYTES), share.moved)
        yield chunk
        share.moved += chunk.length
      } else if (this.#error) throw this.#error
      else if (this.#isDone) return
      else await promise
    }
  }

  async #follow(thread: PetFileThread): Promise<void> {
    for await (const message of thread.messages(this.#signal)) {
      if ('error' in message) throw unpackError(message.error)
      if ('written' in message) this.#share.grow(message.written - this.#share.bytes)
      if ('done' in message) this.#isDone = true
      this.#wake()
    }
    if (!this.#isDone) throw new Error('The thread of an export ended early.')
  }

  #wake(): void {
    const { resolve } = this.#changed
    this.#changed = Promise.withResolvers()
    resolve()
  }
}
