import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { FromPetFileThread, PetFileJob, ToPetFileThread } from './pet-file-job.ts'

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

  /** All messages from now on until the thread ends. Throws the reason of the signal, or an error that the thread did not catch. */
  async *messages(signal?: AbortSignal): AsyncGenerator<FromPetFileThread, void> {
    try {
      const events = on(this.#worker, 'message', { close: ['exit'], ...(signal && { signal }) })
      for await (const [message] of events) yield message
    } catch (error) {
      throw signal?.aborted ? signal.reason : error
    }
  }

  send(message: ToPetFileThread): void {
    this.#worker.postMessage(message)
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
