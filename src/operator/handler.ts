import type { Readable } from 'node:stream'
import type { AdminContext } from '../domain/administration/context.ts'
import { UserError } from '../domain/errors.ts'
import type { PetFiles } from '../domain/pet-files.ts'
import type { RateLimiter } from '../domain/rate-limiter.ts'
import type { RunningRequests } from '../domain/running-requests.ts'
import { ClientGone } from '../http/body.ts'
import type { BodyStream } from '../http/body-stream.ts'
import type { Call } from '../http/call.ts'
import { Refusal } from '../http/refusal.ts'
import type { ErrorCode } from '../schema/error-codes.ts'
import type { Json } from '../schema/openapi/references.ts'
import type { Static, TSchema } from '../schema/type.ts'
import type { Authentication, Credentials } from './authenticate.ts'
import type { Events } from './events.ts'
import type { RunningService } from './running-service.ts'

export interface Handler<Given extends Request, Value> {
  summary: string
  description?: string
  /** Only error codes that do not follow from its path, role and schemas. */
  errors?: readonly ErrorCode[]
  /** The path of the resources that it creates, without the id. */
  location?: string
  /** Whether the response has an `ETag`: the `etag` of the returned value if it has one, otherwise a hash of the body. */
  hasETag?: boolean
  /** Whether the request must or may have an `If-Match`. */
  ifMatch?: 'required' | 'optional'
  /** Whether the response names the audit entry of its action, in ENTRY_HEADER. */
  namesEntry?: boolean
  setsCookie?: boolean
  /** Whether the request may have an `Idempotency-Key`. */
  isRepeatable?: boolean
  /** By name. */
  examples: Readonly<Record<string, Example>>
  /** @returns the body of the response; for a page, one item more than its limit if there are more */
  handle: (request: Given) => Promise<Value>
}

/** The id of an action's audit entry, if the body of the response has no place for it. */
export const ENTRY_HEADER = 'Petstore-Entry-Id'

export interface Request {
  call: Call
  context: AdminContext
  credentials: Credentials | undefined
  /** For the operation that signs in. */
  authentication: Authentication
  /** Counts the calls of the public API. */
  limiter: RateLimiter
  service: RunningService
  files: PetFiles
  /** The creations with an idempotency key that are in progress. */
  running: RunningRequests
  events: Events
  /** The current time in Unix milliseconds, for work that continues after the response has begun. */
  clock(): number
  /** The id in the path, an int64, or the name. */
  id: string
  /** Response headers; handlers append to them: name, value, name, value … */
  headers: string[]
}

/** A streamed response. A handler may return one instead of a value. */
export class Streamed {
  /** The whole Content-Type. */
  readonly type: string
  readonly body: Readable

  constructor(type: string, body: Readable) {
    this.type = type
    this.body = body
  }
}

export type WithUpload = Request & { upload: BodyStream }
export type WithQuery<Schema extends TSchema> = Request & { query: Static<Schema> }
export type WithBody<Schema extends TSchema> = Request & { body: Static<Schema> }

/** A successful call and its response. Its ids are placeholders for existing ones. */
export interface Example {
  id?: number | string
  query?: Json
  headers?: Record<string, string>
  /** A string if the operation takes media types other than JSON. */
  body?: Json | string
  /** A string if the response has a media type other than JSON. */
  response?: unknown
  /** The media types of these strings, if there are several to choose from. */
  bodyType?: string
  responseType?: string
}

/** For long-running work: aborted if the client disconnects before its response is complete. */
export function abortSignalOf({ response }: Call): AbortSignal {
  const left = new AbortController()
  if (response.closed) left.abort(new ClientGone())
  else response.once('close', () => left.abort(new ClientGone()))
  return left.signal
}

/** Reports an invalid parameter in the same form as the schema of a query does. */
export function asParameter<Given extends unknown[], Value>(parse: (...given: Given) => Value, ...given: Given): Value {
  try {
    return parse(...given)
  } catch (error) {
    return refuseParameter(error)
  }
}

export function refuseParameter(error: unknown): never {
  if (!(error instanceof UserError)) throw error
  const { member, message } = error
  throw new Refusal('invalid_parameter', message, member === undefined ? {} : { errors: [{ member, message }] })
}
