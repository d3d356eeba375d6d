import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Outcome } from './outcomes-reporter.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const REPORTER = new URL('outcomes-reporter.ts', import.meta.url).href
const SUITE = ['test/contract/*.test.ts', 'test/several-callers.test.ts']
/** All files in one process: to begin one for each costs as much as the tests themselves. */
const OPTIONS = ['--test', '--test-isolation=none', `--test-reporter=${REPORTER}`]

/** Runs the suite of the public contract in a process with these variables. Every test must pass, and none may be skipped. */
export async function runContractSuite(t: TestContext, name: string, variables: Record<string, string>): Promise<void> {
  const startedAt = performance.now()
  // With it, the runner would take itself for a test of this one.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
  const child = spawn(process.execPath, [...OPTIONS, ...SUITE], {
    cwd: ROOT,
    env: { ...inherited, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill())
  const [lines, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const outcomes = lines
    .trim()
    .split('\n')
    .map((line): Outcome => JSON.parse(line))
  assert.deepEqual(
    outcomes.filter(({ outcome }) => outcome !== 'passed'),
    [],
  )
  assert.equal(code, 0)
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
  t.diagnostic(`${name}: ${outcomes.length} tests passed in ${seconds} s`)
}
