import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import { unpackError } from '../domain/thread-error.ts'
import type { PetFileFailure, PetFileJob, PetFileMessage } from './pet-file-job.ts'

/** The thread of one import, export, list of bad lines or preview, as the service sees it. */
export class PetFileThread implements AsyncDisposable {
  readonly isImport: boolean
  readonly ended: Promise<void>
  readonly #worker: Worker

  constructor(job: PetFileJob) {
    this.isImport = 'import' in job.work
    this.#worker = new Worker(new URL('pet-file-thread.ts', import.meta.url), { workerData: job })
    // Without a listener, an error would end the process, even when messages are no longer awaited.
    this.#worker.on('error', () => {})
    this.ended = new Promise(resolve => this.#worker.once('exit', () => resolve()))
  }

  /** All messages from now on; the last one is `done`. Throws the error of the thread, or the reason of the signal. */
  async *messages(signal?: AbortSignal): AsyncGenerator<PetFileMessage, void> {
    try {
      const events = on(this.#worker, 'message', { close: ['exit'], ...(signal && { signal }) })
      for await (const [message] of events as AsyncIterable<[PetFileMessage | PetFileFailure]>) {
        if ('error' in message) throw unpackError(message.error)
        yield message
        if ('done' in message) return
      }
      throw new Error('The thread of a file of animals ended early.')
    } catch (error) {
      throw signal?.aborted ? signal.reason : error
    }
  }

  /** Calls this with the size of the written file as soon as it grows, even while the messages are not awaited. */
  onWritten(listener: (bytes: number) => void): void {
    this.#worker.on('message', (message: PetFileMessage) => {
      if ('written' in message) listener(message.written)
    })
  }

  /** Ends an import that has not been read to its end. */
  abort(): void {
    this.#worker.postMessage('abort')
  }

  terminate(): void {
    void this.#worker.terminate()
  }

  /** The thread uses the temporary file until it has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.terminate()
    await this.ended
  }
}
