import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { CopyState, CopyTask } from './copy-thread.ts'

/**
 * How long a stop waits for the last changes to be copied. A system call that hangs, as on a network folder that does not respond, cannot be
 * ended from here, and the process cannot exit before it: only the system's own time limit for the folder ends it, or `kill -9`.
 */
const CLOSE_TIMEOUT_MS = 10_000

const DEFAULTS = { maxLogBytes: 268_435_456, lookEveryMs: 250, retryAfterMs: 5_000 }

export interface CopyWatch {
  /** @param to Unix milliseconds: everything that was committed before is in the copy */
  copied(to: number): void
  /** Called after each failure. The store is not affected, and the copy is tried again. */
  copyFailed(message: string): void
}

/** Copies a store into a folder while it is in use, in a thread of its own. */
export class ContinuousCopy {
  readonly #thread: Worker
  readonly #ended: Promise<unknown>

  constructor(settings: Omit<CopyTask, keyof typeof DEFAULTS> & Partial<CopyTask>, watch: CopyWatch) {
    const task: CopyTask = { ...DEFAULTS, ...settings }
    this.#thread = new Worker(new URL('copy-thread.ts', import.meta.url), { workerData: task })
    this.#thread.on('message', ({ copiedTo, failure }: CopyState) => {
      if (failure !== undefined) watch.copyFailed(failure)
      else if (copiedTo !== undefined) watch.copied(copiedTo)
    })
    this.#thread.on('error', error => {
      const reason = error instanceof Error ? error.message : String(error)
      watch.copyFailed(`The copy in ${task.folder} has ended (${reason}); restart the service.`)
    })
    this.#ended = new Promise(resolve => {
      this.#thread.on('exit', resolve)
    })
  }

  /** Copies what was committed until now, and ends. */
  async close(): Promise<void> {
    this.#thread.postMessage('close')
    const timeout = new AbortController()
    const late = sleep(CLOSE_TIMEOUT_MS, undefined, { signal: timeout.signal }).catch(() => {})
    await Promise.race([this.#ended, late])
    timeout.abort()
    await this.#thread.terminate()
  }
}
