import type { Caller } from '../domain/account.ts'
import type { Decision } from '../domain/rate-limiter.ts'
import { Call } from '../http/call.ts'

export class PublicCall extends Call {
  /** The id of the API key in its header, if there is such a key, whether or not it may call. */
  keyId: bigint | undefined = undefined
  /** The holder of its API key. */
  caller: Caller | undefined = undefined
  decision: Decision | undefined = undefined
  /** Settles when the decision is made, if that takes time. */
  counting: Promise<void> | undefined = undefined

  override formatCaller(): string {
    return this.caller ? `,"account":${this.caller.accountId},"key":${this.caller.keyId}` : ''
  }
}
