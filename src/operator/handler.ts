import type { Static, TSchema } from 'typebox'
import type { AdminContext } from '../domain/administration/context.ts'
import { ClientGone } from '../http/body.ts'
import type { Call } from '../http/call.ts'
import type { ErrorCode } from '../schema/error-codes.ts'
import type { Json } from '../schema/openapi/references.ts'
import type { Authentication, Credentials } from './authenticate.ts'

/** What an operation does, and its documentation. Its path, role and schemas are in routes.ts. */
export interface Handler<Given extends Request, Value> {
  id: string
  summary: string
  description?: string
  /** Those that do not follow from its path, role and schemas. */
  errors?: readonly ErrorCode[]
  /** The query parameter that begins the next page, if the response is a page. */
  page?: 'after' | 'before'
  /** The path of what it creates, without the id. */
  location?: string
  /** Whether the response has an `ETag`. */
  hasETag?: boolean
  /** Whether the request must have an `If-Match`. */
  needsIfMatch?: boolean
  setsCookie?: boolean
  /** By name. */
  examples: Readonly<Record<string, Example>>
  /** @returns the body of the response; for a page, one item more than its limit if there are more */
  handle: (request: Given) => Promise<Value>
}

export interface Request {
  call: Call
  context: AdminContext
  /** Undefined where anyone may call. */
  credentials: Credentials | undefined
  /** For the operation that signs in. */
  authentication: Authentication
  /** The id in the path, an int64. */
  id: string
  /** Headers of the response, to be added to: name, value, name, value … */
  headers: string[]
}

export type WithQuery<Schema extends TSchema> = Request & { query: Static<Schema> }
export type WithBody<Schema extends TSchema> = Request & { body: Static<Schema> }

/** A call that succeeds, and its response. Its ids stand for existing ones. */
export interface Example {
  /** The id in the path. */
  id?: number
  query?: Json
  headers?: Record<string, string>
  body?: Json
  response?: unknown
}

export function defineHandler<Given extends Request, Value>(handler: Handler<Given, Value>): Handler<Given, Value> {
  return handler
}

/** For work that may take long: is aborted when the client leaves before its response. */
export function signalOf({ response }: Call): AbortSignal {
  const left = new AbortController()
  if (response.closed) left.abort(new ClientGone())
  else response.once('close', () => left.abort(new ClientGone()))
  return left.signal
}
