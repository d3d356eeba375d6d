import type { ErrorCode } from './error-codes.ts'

/** Input that cannot be accepted. The message says what it must be. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput'
  /** The code of the error response, if the input came in a request. */
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
