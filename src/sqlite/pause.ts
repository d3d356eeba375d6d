const NEVER_CHANGED = new Int32Array(new SharedArrayBuffer(4))

/** Blocks this thread, as SQLite does while it waits for a lock. */
export function pause(milliseconds: number): void {
  Atomics.wait(NEVER_CHANGED, 0, 0, milliseconds)
}
