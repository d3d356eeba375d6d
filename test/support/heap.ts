import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** What is alive on the heap, in bytes. */
export async function heapUsed(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  // The test runner keeps what belongs to a promise until it is told, in a later turn, that the promise is gone.
  for (let round = 0; round < 3; round += 1) {
    collectGarbage()
    await setImmediate()
  }
  return process.memoryUsage().heapUsed
}

/** What was on the heap before, when there was something to forget, and afterwards. */
export function assertForgotten(before: number, full: number, after: number): void {
  assert.ok(full - before > 1_000_000, `there was something to forget: ${full - before} bytes`)
  assert.ok(after - before < (full - before) / 4, `${after - before} of ${full - before} bytes are left`)
}
