import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../domain/account.ts'
import type { Operator } from '../domain/operator.ts'
import type { Decision } from '../domain/rate-limiter.ts'
import type { Target } from './target.ts'

/** Where bytes come from. */
export type Sender = Pick<IncomingMessage, 'socket' | 'headers'>

/** One call, from its first line to its answer; each gate adds what it has learned. */
export interface Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  /** When its headers had arrived, in Unix milliseconds; every rule about this call uses this time. */
  readonly now: number
  /** The same moment on the process's own steady clock, for the duration alone. */
  readonly startedAt: number
  target: Target | undefined
  /** Headers that every answer on this path bears, as name, value, name, value … */
  pathHeaders: readonly string[]
  /** Which operation of the contract it is, once that is known. */
  operation: string | undefined
  /** Who calls the public API. */
  caller: Caller | undefined
  /** Who calls the operators' API. */
  operator: Operator | undefined
  decision: Decision | undefined
  /** While the decision is awaited. */
  counting: Promise<unknown> | undefined
  isAnswered: boolean
}

/** What a call is answered. */
export interface Answer {
  status: number
  /** name, value, name, value … */
  headers: readonly string[]
  body: string | Buffer
  /** Says that a text has as many bytes as characters, so that it need not be encoded. */
  isAscii?: boolean
}
