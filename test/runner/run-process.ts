import { run } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import type { ProcessResult } from './file-result.ts'
import { TEST_LIMIT_MS } from './limits.ts'
import { ProcessEvents } from './process-events.ts'

const PROCESS = fileURLToPath(new URL('test-process.ts', import.meta.url))
/**
 * As the program does. Imports without a search also save each thread that a test starts a fifth of its CPU time; and with the same flag, all these
 * processes can use the same compiled code.
 */
const AS_THE_PROGRAM = [
  ...['--import', new URL('../../bin/own-modules.js', import.meta.url).href],
  '--no-allocation-site-pretenuring',
]

export interface ProcessOptions {
  /** The tests to run; all by default. */
  testNamePatterns?: readonly string[] | undefined
  /** The process is ended if none of its tests ends for so long. */
  silenceLimitMs: number
  /** Receives each event for a reporter at once. */
  onEvent(event: TestEvent): void
}

/** Runs test files in one separate process, one after another. */
export async function runProcess(files: readonly string[], options: ProcessOptions): Promise<ProcessResult> {
  const { testNamePatterns, silenceLimitMs, onEvent } = options
  const ending = new AbortController()
  const silence = setTimeout(() => ending.abort(), silenceLimitMs)
  const events = new ProcessEvents(PROCESS, files, onEvent)
  const stream = run({
    files: [PROCESS],
    argv: files,
    execArgv: AS_THE_PROGRAM,
    timeout: TEST_LIMIT_MS,
    signal: ending.signal,
    ...(testNamePatterns && { testNamePatterns: [...testNamePatterns, namesOf(files)] }),
  })
  for await (const event of stream) {
    if (event.type === 'test:complete') silence.refresh()
    events.take(event)
  }
  clearTimeout(silence)
  return events.result(ending.signal.aborted ? `No test ended for ${silenceLimitMs / 1_000} s.` : undefined)
}

/** Matches the tests that report whether a file could be loaded. */
function namesOf(files: readonly string[]): RegExp {
  return new RegExp(`^ ?(?:${files.map(file => RegExp.escape(file)).join('|')})$`)
}
