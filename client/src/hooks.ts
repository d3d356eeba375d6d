import type { PetstoreError } from './errors.ts'

/**
 * Functions that observe the calls of a client, for logs, metrics and traces. They cannot change or delay a call, and never see the API
 * key. Errors that they throw are written to the console.
 */
export interface Hooks {
  /** Called for each request, when it is sent. */
  onRequest?: ((event: RequestEvent) => void) | undefined
  /** Called once for each request, when its response is complete or has failed to arrive. */
  onResponse?: ((event: ResponseEvent) => void) | undefined
  /** Called when a call must wait before it is sent, or sent again. Not called when it only queues behind other calls. */
  onWait?: ((event: WaitEvent) => void) | undefined
}

interface CallEvent {
  method: 'GET' | 'POST'
  url: string
  /** 1 for the first request of a call, 2 for its first retry. A wait has the number of the request that follows it. */
  attempt: number
}

export interface RequestEvent extends CallEvent {
  /** `X-Request-Id`; each attempt has its own. */
  requestId: string
}

export interface ResponseEvent extends RequestEvent {
  /** Undefined if no complete response arrived. */
  status: number | undefined
  /** Of the response. */
  headers: Headers | undefined
  durationMs: number
  /** Undefined after a success. If the call is not repeated, it rejects with this error. */
  error: PetstoreError | undefined
}

export interface WaitEvent extends CallEvent {
  waitMs: number
  /** The end of the wait. Later refusals can extend it; if they do by more than a second, the hook is called again. */
  until: Date
  /** Why the call waits; undefined if the client only spreads its calls (`isPaced`). */
  error: PetstoreError | undefined
}

/** Calls a hook asynchronously, so that it never runs in the middle of a call. */
export function notify<Event>(hook: ((event: Event) => void) | undefined, event: Event): void {
  if (!hook) return
  Promise.resolve(event)
    .then(hook)
    .catch(error => console.error('@petstore/client: a hook threw an error:', error))
}
