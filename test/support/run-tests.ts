import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Outcome } from './outcomes-reporter.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const REPORTER = new URL('outcomes-reporter.ts', import.meta.url).href

/**
 * Runs test files in a separate process, which ends with this test at the latest.
 * @param options of Node, and variables in addition to those of this process
 */
export async function runTests(
  t: TestContext,
  files: readonly string[],
  { options = [], variables = {} }: { options?: readonly string[]; variables?: Record<string, string> } = {},
): Promise<{ outcomes: Outcome[]; code: number | null }> {
  // With it, the runner would consider itself a test of this one.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
  const child = spawn(process.execPath, ['--test', `--test-reporter=${REPORTER}`, ...options, ...files], {
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
  return { outcomes, code }
}
