import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { Deployment } from '../../domain/deployment.ts'
import { UserError } from '../../domain/errors.ts'
import { DAY_MS, HOUR_MS } from '../../domain/time.ts'
import { removeAbandoned } from '../../files/partial-file.ts'
import { probeDisk } from '../../files/probe-disk.ts'
import { ChainWriter } from './chain-writer.ts'
import { ensureOwnChains, findOutdated } from './copy-folder.ts'
import { explainFailure } from './explain-failure.ts'
import { LogChanged } from './log-scan.ts'

export interface CopyTask {
  database: string
  /** See `stateOf`. */
  store: string
  deployment: Deployment
  folder: string
  everySeconds: number
  days: number
  /**
   * While copying fails, the log may grow to this size. Then the chain is abandoned, so that the disk of the store does not fill up.
   */
  maxLogBytes: number
  /** How often the log is checked, so that it does not grow. */
  lookEveryMs: number
  /** The wait after a failure. */
  retryAfterMs: number
}

/** Sent whenever the store has been copied, and after each failure. */
export interface CopyState {
  /** Unix milliseconds: everything committed before this time is in the copy. Undefined until the first full copy is complete. */
  copiedTo: number | undefined
  /** Why the last step failed. */
  failure: string | undefined
}

/** To end, or the time at which the age of the copy is judged: nothing is deleted before the first one. */
export type CopyRequest = 'close' | { pruneAt: number }

const PRUNE_EVERY_MS = HOUR_MS

const port = parentPort as NonNullable<typeof parentPort>
const task: CopyTask = workerData
const { database, store, deployment, folder } = task
let chain: ChainWriter | undefined
/** Whether this thread has written to the folder. If so, an empty folder is not the same one. */
let hasWritten = false
let isClosing = false
/** On the monotonic clock: a step of the system clock must not stop the copy. */
let [flushAt, retryAt, nextPruneAt] = [0, 0, 0]
/** The system clock of this thread may be wrong. */
let trustedTime: number | undefined
let copiedTo: number | undefined
/** Resolves when all abandoned chains have ended. */
let givenUp: Promise<unknown> = Promise.resolve()

port.on('message', (request: CopyRequest) => {
  if (request === 'close') isClosing = true
  else trustedTime = request.pruneAt
})

while (!isClosing) {
  tryStep()
  await sleep(task.lookEveryMs)
}
// Copy everything committed before the service stopped.
flushAt = 0
retryAt = 0
if (chain?.hasFull) tryStep()
await chain?.close()
await givenUp
port.close()

function tryStep(): void {
  if (performance.now() < retryAt) return
  try {
    chain ??= beginChain()
    if (step(chain)) report(undefined)
  } catch (error) {
    report(explainFailure(error, task))
    retryAt = performance.now() + task.retryAfterMs
    if (chain && (error instanceof LogChanged || chain.logBytes > task.maxLogBytes)) giveUp(chain)
  }
}

/** @returns whether everything has been copied */
function step(writer: ChainWriter): boolean {
  // Everything committed before this moment will be read.
  const [now, steadyNow] = [Date.now(), performance.now()]
  writer.advance()
  writer.tidy()
  if (steadyNow < flushAt) return false
  writer.flush()
  flushAt = steadyNow + task.everySeconds * 1_000
  if (!writer.hasFull) return false
  copiedTo = now
  if (trustedTime !== undefined && steadyNow >= nextPruneAt) {
    nextPruneAt = steadyNow + PRUNE_EVERY_MS
    const before = trustedTime - task.days * DAY_MS
    for (const path of findOutdated(folder, before)) rmSync(path, { recursive: true, force: true })
  }
  return true
}

function beginChain(): ChainWriter {
  const chains = ensureOwnChains(folder, task)
  if (hasWritten && chains.length === 0) {
    throw new UserError('conflict', `The copy in ${folder} is gone; is its disk mounted?`)
  }
  probeDisk(folder)
  // A chain without a complete full copy cannot be restored.
  const useless = chains.filter(({ files }) => !files.some(({ kind }) => kind === 'full'))
  for (const other of useless) rmSync(other.folder, { recursive: true, force: true })
  for (const { folder: other } of chains) removeAbandoned(other)
  // Keeps the chains in order of their times, even if the clock was set back.
  const startedAt = Math.max(Date.now(), (chains.at(-1)?.startedAt ?? 0) + 1)
  const begun = new ChainWriter(database, folder, { store, deployment, startedAt })
  hasWritten = true
  return begun
}

/** Does not wait for its full copy: a slow folder must not delay the next step. */
function giveUp(writer: ChainWriter): void {
  chain = undefined
  const ended = writer.giveUp().catch(error => report(explainFailure(error, task)))
  givenUp = Promise.all([givenUp, ended])
}

function report(failure: string | undefined): void {
  port.postMessage({ copiedTo, failure } satisfies CopyState)
}
