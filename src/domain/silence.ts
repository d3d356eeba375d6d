const CHECK_MS = 100

interface Wait {
  endsAt: number
  endsAtCheck: number
  giveUp(): void
}

/** They share their checks, which costs less than a timer for each call. */
const waits = new Set<Wait>()
let checks = 0
let isChecking = false
let checkDueAt = 0
let timer: NodeJS.Timeout | undefined

/**
 * Calls back after this many milliseconds, but only silence of the other side counts: the wait is divided into checks, and this process reads
 * everything that has arrived before each check. If the process itself is blocked, or gets no processor, its checks run later, so it waits longer.
 * @returns a function that ends the wait
 */
export function afterSilence(milliseconds: number, giveUp: () => void): () => void {
  const endsAt = performance.now() + milliseconds
  const wait = { endsAt, endsAtCheck: checks + Math.floor(milliseconds / CHECK_MS), giveUp }
  waits.add(wait)
  if (isChecking) timer?.ref()
  else checkLater()
  return () => {
    waits.delete(wait)
    // A command that has its response must not wait for the next check before it exits.
    if (waits.size === 0) timer?.unref()
  }
}

function checkLater(): void {
  isChecking = waits.size > 0
  if (!isChecking) return
  const now = performance.now()
  // A check that was a little late does not delay the next ones: on a busy machine, all are.
  checkDueAt = Math.max(checkDueAt + CHECK_MS, now + CHECK_MS / 2)
  // An immediate runs after everything that has arrived has been read.
  timer = setTimeout(() => setImmediate(check), checkDueAt - now)
}

function check(): void {
  checks += 1
  const now = performance.now()
  for (const wait of waits) {
    if (wait.endsAtCheck > checks || wait.endsAt > now) continue
    waits.delete(wait)
    wait.giveUp()
  }
  checkLater()
}
