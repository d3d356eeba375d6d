import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { runTests } from './run-tests.ts'

const SUITE = ['test/contract/*.test.ts', 'test/several-callers.test.ts']
/** All files in one process: starting a process for each would cost as much as the tests themselves. */
const OPTIONS = ['--test-isolation=none']

/** Runs the suite of the public contract in a process with these variables. Every test must pass, and none may be skipped. */
export async function runContractSuite(t: TestContext, name: string, variables: Record<string, string>): Promise<void> {
  const startedAt = performance.now()
  const { outcomes, code } = await runTests(t, SUITE, { options: OPTIONS, variables })
  assert.deepEqual(
    outcomes.filter(({ outcome }) => outcome !== 'passed'),
    [],
  )
  assert.equal(code, 0)
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
  t.diagnostic(`${name}: ${outcomes.length} tests passed in ${seconds} s`)
}
