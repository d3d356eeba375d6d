/** A busy browser may not become idle for a long time. */
const MAX_WAIT_MS = 2_000

/** Runs work that can wait. Safari does not report when it is idle. */
export function whenIdle(run: () => void): void {
  if (typeof requestIdleCallback === 'undefined') setTimeout(run, MAX_WAIT_MS)
  else requestIdleCallback(run, { timeout: MAX_WAIT_MS })
}
