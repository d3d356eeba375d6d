const NEVER_CHANGED = new Int32Array(new SharedArrayBuffer(4))

/** Blocks this thread, as SQLite does while it waits for a lock. */
export function pause(milliseconds: number): void {
  Atomics.wait(NEVER_CHANGED, 0, 0, milliseconds)
}

/** SQLite's own retries become less frequent, and could always miss the gaps between the commits of a busy service. */
const RETRY_AFTER_MS = 2

/** What is found, unless that changes within this time: other processes may be opening, writing or closing a store. */
export function findLasting<Found>(milliseconds: number, find: () => Found): Found {
  const deadline = performance.now() + milliseconds
  for (;;) {
    const found = find()
    if (!found || performance.now() >= deadline) return found
    pause(RETRY_AFTER_MS)
  }
}
