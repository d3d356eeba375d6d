import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { CopyRequest, CopyState, CopyTask } from './copy-thread.ts'

/**
 * How long a stop waits for the last changes to be copied. A hanging system call, such as on a network folder that does not respond, cannot be
 * aborted from here, and the process cannot exit before it returns: only the system's timeout for the folder ends it, or `kill -9`.
 */
const CLOSE_TIMEOUT_MS = 10_000

const DEFAULTS = { maxLogBytes: 268_435_456, lookEveryMs: 250, retryAfterMs: 5_000 }

export interface CopyWatch {
  /** @param to Unix milliseconds: everything committed before this time is in the copy */
  copied(to: number): void
  /** Called after each failure. The store is not affected, and the copy is retried. */
  copyFailed(message: string): void
}

/** Copies a store to a folder while it is in use, in a separate thread. */
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

  /** Deletes files that no point in time within the retention needs, at most once an hour. Without this, none is deleted. */
  prune(now: number): void {
    this.#thread.postMessage({ pruneAt: now } satisfies CopyRequest)
  }

  /** Copies everything committed so far, and ends. */
  async close(): Promise<void> {
    this.#thread.postMessage('close' satisfies CopyRequest)
    const timeout = new AbortController()
    const late = sleep(CLOSE_TIMEOUT_MS, undefined, { signal: timeout.signal }).catch(() => {})
    await Promise.race([this.#ended, late])
    timeout.abort()
    await this.#thread.terminate()
  }
}
