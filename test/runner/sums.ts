import type { TestEvent } from 'node:test/reporters'

/** The lines that Node's test runner ends a run with: how many tests there were, and how many had each result. */
export function sumsOf(events: readonly TestEvent[], durationMs: number): string[] {
  const counts = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 }
  for (const event of events) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    if (event.data.details.type === 'suite') {
      counts.suites += 1
    } else {
      counts.tests += 1
      counts[resultOf(event)] += 1
    }
  }
  return [...Object.entries(counts), ['duration_ms', durationMs]].map(([name, count]) => `${name} ${count}`)
}

/** A test that takes too long is cancelled, which Node does not count as a failure. */
const CANCELLED = ['cancelledByParent', 'testAborted', 'testTimeoutFailure']

function resultOf({ type, data }: TestEvent & { type: 'test:pass' | 'test:fail' }) {
  if (data.skip !== undefined) return 'skipped'
  if (data.todo !== undefined) return 'todo'
  if (type === 'test:pass') return 'pass'
  const { failureType = '' } = data.details.error as Error & { failureType?: string }
  return CANCELLED.includes(failureType) ? 'cancelled' : 'fail'
}
