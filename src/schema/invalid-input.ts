import type { ErrorCode } from './error-codes.ts'

/** Input that cannot be accepted. The message says what it must be. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput'
  /** The code of the error response, if the input came in a request. */
  readonly code: ErrorCode
  /** Each invalid member; none if the input is invalid as a whole. */
  readonly problems: readonly Problem[]

  constructor(code: ErrorCode, message: string, problems: readonly Problem[] = []) {
    super(message)
    this.code = code
    this.problems = problems
  }
}

/** What is wrong with one member of a body, or one parameter of a query. */
export interface Problem {
  member: string
  /** A complete sentence. */
  message: string
}

export function joinSentences(sentences: readonly string[]): string {
  return `${sentences.map(sentence => sentence.replace(/\.$/, '')).join('; ')}.`
}
