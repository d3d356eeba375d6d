import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The heap has settled when a collection frees less than this. */
const SETTLED_BYTES = 50_000
const MAX_COLLECTIONS = 20

/** The live bytes on the heap. */
export async function heapUsed(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  // Some data only becomes garbage in a later turn: the test runner keeps data about each promise until it learns that the promise was
  // collected, and a test that ran before in this process may still be closing what it opened.
  let used = Number.POSITIVE_INFINITY
  for (let collections = 0; collections < MAX_COLLECTIONS; collections += 1) {
    const before = used
    collectGarbage()
    await setImmediate()
    used = process.memoryUsage().heapUsed
    if (collections >= 3 && before - used < SETTLED_BYTES) break
  }
  return used
}

/** The size of the heap before, with the data to be forgotten, and afterwards. */
export function assertForgotten(before: number, full: number, after: number): void {
  assert.ok(full - before > 1_000_000, `there was something to forget: ${full - before} bytes`)
  assert.ok(after - before < (full - before) / 4, `${after - before} of ${full - before} bytes are left`)
}
