import assert from 'node:assert/strict'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** What is alive on the heap, in bytes. */
export function heapUsed(): number {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  for (let round = 0; round < 3; round += 1) collectGarbage()
  return process.memoryUsage().heapUsed
}

/** What was on the heap before, when there was something to forget, and afterwards. */
export function assertForgotten(before: number, full: number, after: number): void {
  assert.ok(full - before > 1_000_000, `there was something to forget: ${full - before} bytes`)
  assert.ok(after - before < (full - before) / 4, `${after - before} of ${full - before} bytes are left`)
}
