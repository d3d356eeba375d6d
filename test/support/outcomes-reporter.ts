import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

/** The result of one test. */
export interface Outcome {
  /** Its file and its name, with a mark for each test around it. */
  test: string
  outcome: 'passed' | 'failed' | 'left out'
  error: string | undefined
}

/** A reporter for `node --test`: one line of JSON for each test. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const { file = '', name, nesting, skip, todo } = data
    const isLeftOut = skip !== undefined || todo !== undefined
    const outcome: Outcome = {
      test: `${relative(process.cwd(), file)}: ${'› '.repeat(nesting)}${name}`,
      outcome: type === 'test:fail' ? 'failed' : isLeftOut ? 'left out' : 'passed',
      error: type === 'test:fail' ? String(data.details.error.cause ?? data.details.error) : undefined,
    }
    yield `${JSON.stringify(outcome)}\n`
  }
}
