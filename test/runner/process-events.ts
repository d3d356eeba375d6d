import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import type { FileResult, ProcessResult } from './file-result.ts'

type FailEvent = TestEvent & { type: 'test:fail' }

/** Assigns what a process reports to its test files. Before the tests of a file, it reports a test with the name of the file. */
export class ProcessEvents {
  readonly #process: string
  readonly #files: ReadonlyMap<string, FileResult>
  readonly #onEvent: (event: TestEvent) => void
  /** The file whose tests are being reported. */
  #current: FileResult
  #problem: string | undefined
  #hasEnded = false
  #lastWords = ''

  /** @param process the path of its program, which names events about the process as a whole */
  constructor(process: string, files: readonly string[], onEvent: (event: TestEvent) => void) {
    this.#process = process
    this.#files = new Map(files.map(file => [file, { file, events: [], failures: [] }]))
    this.#onEvent = onEvent
    this.#current = this.#fileOf(files[0] as string)
  }

  take(event: TestEvent): void {
    switch (event.type) {
      case 'test:stdout':
      case 'test:stderr':
        this.#lastWords = event.data.message.trim() || this.#lastWords
        this.#onEvent(event)
        break
      case 'test:log':
        this.#add(event)
        break
      case 'test:diagnostic':
        // Without a file, it is a number of tests.
        if (event.data.file === this.#process) this.#problem ??= event.data.message
        else if (event.data.file !== undefined) this.#add(event)
        break
      case 'test:start':
      case 'test:pass':
        if (this.#files.has(event.data.name)) this.#current = this.#fileOf(event.data.name)
        else if (event.data.name !== this.#process) this.#add(event)
        break
      case 'test:fail':
        this.#takeFailure(event)
        break
      case 'test:summary':
        this.#hasEnded ||= event.data.file === this.#process
    }
  }

  /** @param problem why the process was ended */
  result(problem = this.#problem): ProcessResult {
    const failure = problem !== undefined || !this.#hasEnded ? this.#explain(problem) : undefined
    const files = [...this.#files.values()]
    if (failure && files.length === 1) this.#addFailure(failureOf(this.#current, failure))
    return { files, failure }
  }

  #takeFailure(event: FailEvent): void {
    const { name, file } = event.data
    if (name === this.#process) {
      this.#problem ??= 'The process did not end normally.'
    } else if (this.#files.has(name)) {
      // The file could not be loaded, or one of its hooks failed.
      this.#current = this.#fileOf(name)
      this.#addFailure({ ...event, data: { ...event.data, name: displayed(name) } })
    } else if (name === file) {
      // A hook of the whole process, set by a helper.
      this.#problem ??= String(causeOf(event))
    } else {
      this.#addFailure(event)
    }
  }

  #addFailure(event: FailEvent): void {
    this.#add(event)
    const { name, details, todo } = event.data
    const isBecauseOfSubtests = 'failureType' in details.error && details.error.failureType === 'subtestsFailed'
    if (!isBecauseOfSubtests && todo === undefined) this.#current.failures.push({ name, error: causeOf(event) })
  }

  #add(event: TestEvent): void {
    this.#current.events.push(event)
    this.#onEvent(event)
  }

  #explain(problem = 'The process did not end normally.'): Error {
    const error = new Error(`${problem} ${this.#lastWords}`.trim())
    // It would only show this runner.
    error.stack = error.message
    return error
  }

  #fileOf(path: string): FileResult {
    return this.#files.get(path) as FileResult
  }
}

/** Node wraps what a test throws. */
function causeOf({ data }: FailEvent): Error {
  const { error } = data.details
  return error.cause instanceof Error ? error.cause : error
}

function failureOf({ file }: FileResult, cause: Error): FailEvent {
  const details = {
    duration_ms: 0,
    error: Object.assign(new Error('test failed', { cause }), { code: 'ERR_TEST_FAILURE', cause }),
  }
  const ids = { nesting: 0, testNumber: 0, testId: 0, parentId: undefined, tags: [] }
  return { type: 'test:fail', data: { ...ids, name: displayed(file), details, file, line: 1, column: 1 } }
}

/** A path as one would type it. */
function displayed(file: string): string {
  return relative(process.cwd(), file)
}
