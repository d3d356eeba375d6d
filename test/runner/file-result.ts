import type { TestEvent } from 'node:test/reporters'

/** What became of the tests of one file. */
export interface FileResult {
  file: string
  /** For a reporter. What the tests print is not among them. */
  events: TestEvent[]
  failures: Failure[]
}

/** A test that failed, a file that could not be loaded, or a process that did not end well. */
export interface Failure {
  name: string
  error: Error
}

export interface ProcessResult {
  files: FileResult[]
  /** Why the process failed as a whole. Results of any of its files may then be missing. */
  failure: Error | undefined
}
