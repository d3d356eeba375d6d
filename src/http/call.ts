import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Target } from './target.ts'

/** The sender of a request, or of bytes that are not a request. */
export type Sender = Pick<IncomingMessage, 'socket' | 'headers'>

/** One call, from its first line to its answer. Each API extends it with what its gates learn about the caller. */
export class Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  /** When its headers had arrived, in Unix milliseconds. Every rule about this call uses this time. */
  readonly now: number
  /** The same moment on the process's monotonic clock, only for measuring durations. */
  readonly startedAt: number
  target: Target | undefined = undefined
  /** The id of its operation, once known. */
  operation: string | undefined = undefined
  /** The header lines of every answer on this path. */
  pathLines = ''
  isAnswered = false
  /** Whether its body is streamed, and may take longer than other requests. */
  isBodyStreamed = false

  constructor(request: IncomingMessage, response: ServerResponse, requestId: string, now: number, startedAt: number) {
    this.request = request
    this.response = response
    this.requestId = requestId
    this.now = now
    this.startedAt = startedAt
  }

  /** The caller, for the access log: members of a JSON object, each preceded by a comma. */
  formatCaller(): string {
    return ''
  }
}
