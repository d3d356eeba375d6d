import { onlineManager } from '@tanstack/react-query'
import { call, contact, Unreachable } from '../api/call.ts'
import { createStore } from '../lib/store.ts'

const RETRY_MS = 2_000
const MAX_WAIT_MS = 5_000

/** Whether the service cannot be reached, and when it last responded. */
const connection = createStore({ isLost: false, lastAnswer: undefined as number | undefined })

/** Also follows `navigator.onLine`. */
export const useConnection = connection.use

let lastAnswer: number | undefined
let checking: Promise<void> | undefined
let wake = () => {}

/** What is blocking queries. While anything is, they wait, and the screen keeps its data. Then each query on screen is refetched once. */
const obstacles = new Set<'unreachable' | 'signed out'>()

export function watchConnection(): void {
  // Browsers call themselves offline without a network, although a service on the same machine can still be reached.
  onlineManager.setEventListener(() => {
    addEventListener('offline', checkWhileOffline)
    addEventListener('online', () => wake())
    // It may only notice that it is offline, or online again, after its calls have failed.
    for (const event of ['offline', 'online']) addEventListener(event, () => connection.set({ ...connection.get() }))
    return () => {}
  })
  contact.onAnswer = () => {
    lastAnswer = Date.now()
  }
  contact.onFailure = checkConnection
}

export function setObstacle(obstacle: 'unreachable' | 'signed out', isThere: boolean): void {
  if (isThere) obstacles.add(obstacle)
  else obstacles.delete(obstacle)
  onlineManager.setOnline(obstacles.size === 0)
}

/** Polls the service until it responds. */
export function checkConnection(): Promise<void> {
  checking ??= untilReached().finally(() => {
    checking = undefined
  })
  return checking
}

/** Browsers may say that they are offline a moment before calls fail. */
async function checkWhileOffline(): Promise<void> {
  await checkConnection()
  if (!navigator.onLine) setTimeout(checkWhileOffline, RETRY_MS)
}

async function untilReached(): Promise<void> {
  while (!(await canReach())) {
    show(true)
    await new Promise<void>(resolve => {
      wake = resolve
      setTimeout(resolve, RETRY_MS)
    })
  }
  show(false)
}

/** Any response will do. */
async function canReach(): Promise<boolean> {
  try {
    await call('GET', '/version', { signal: AbortSignal.timeout(MAX_WAIT_MS) })
    return true
  } catch (error) {
    return !(error instanceof Unreachable)
  }
}

function show(isLost: boolean): void {
  if (connection.get().isLost === isLost) return
  setObstacle('unreachable', isLost)
  connection.set({ isLost, lastAnswer })
}
