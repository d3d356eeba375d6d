import { type MessagePort, Worker } from 'node:worker_threads'
import { packError, type ThreadOutcome, unpackError } from '../domain/thread-error.ts'

/** A thread that answers one request at a time. The first request starts it; if it has failed, the next one starts another. */
export class Thread<Request, Result> {
  readonly #module: URL
  readonly #workerData: unknown
  #worker: Worker | undefined
  #underway: PromiseWithResolvers<Result> | undefined
  #isClosed = false

  constructor(module: URL, workerData?: unknown) {
    this.#module = module
    this.#workerData = workerData
  }

  /** @throws the error of the answer, or an Error if the thread has stopped */
  async ask(request: Request): Promise<Result> {
    if (this.#isClosed) throw new Error('The thread has ended.')
    this.#worker ??= this.#start()
    this.#worker.postMessage(request)
    this.#underway = Promise.withResolvers()
    return this.#underway.promise
  }

  /** Aborts the request that is underway. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(this.#module, { workerData: this.#workerData })
    worker.on('message', (outcome: ThreadOutcome<Result>) => {
      if ('error' in outcome) this.#underway?.reject(unpackError(outcome.error))
      else this.#underway?.resolve(outcome.result)
    })
    let cause: unknown
    worker.on('error', error => {
      cause = error
    })
    worker.on('exit', () => {
      this.#worker = undefined
      this.#underway?.reject(new Error('The thread has stopped.', { cause }))
    })
    return worker
  }
}

/** Answers the requests to a thread. @param port its `parentPort` */
export function answerRequests<Request>(port: MessagePort | null, answer: (request: Request) => unknown): void {
  port?.on('message', (request: Request) => port.postMessage(outcomeOf(() => answer(request))))
}

function outcomeOf<Result>(work: () => Result): ThreadOutcome<Result> {
  try {
    return { result: work() }
  } catch (error) {
    return { error: packError(error) }
  }
}
