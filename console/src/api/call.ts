import { containsSecret } from '../../../src/domain/secret-forms.ts'
import { secretRefusal } from '../lib/secret-refusal.ts'
import { inOwnWords } from './refusal-words.ts'
import { type Error as ErrorBody, INT64_MEMBERS } from './schema.ts'

/** The service refused a call. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: string
  readonly status: number
  /** The invalid members of the request, each with a message. */
  readonly members: ReadonlyMap<string, string>

  /** @param sent the values of the request, by member */
  constructor(refusal: ErrorBody, sent?: object) {
    const { code, status, message, errors } = inOwnWords(refusal, sent)
    super(message)
    this.code = code
    this.status = status
    this.members = new Map(errors?.map(({ member, message }) => [member, message]))
  }
}

/** The service could not be reached, or its response was cut off. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'

  constructor(cause: unknown) {
    super('The service cannot be reached. Your input is kept; try again in a moment.', { cause })
  }
}

/** Whether someone else has changed the resource first. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'precondition_failed' || error.code === 'conflict')
}

export function isGone(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404
}

/** Whether the service may have carried out the call, or may still do so. */
export function isUndecided(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status >= 500 || error.code === 'idempotency_in_progress'
}

/** The base URL of the console, with a trailing slash; a proxy may serve it under a path prefix. */
export const CONSOLE_URL = new URL(document.baseURI)
const ADMIN_URL = new URL('../admin/v1', CONSOLE_URL).href

export type Query = Readonly<Record<string, string | number | bigint | boolean | undefined>>

interface CallOptions {
  query?: Query
  /** A Blob is sent unchanged, anything else as JSON. */
  body?: unknown
  /** The `ETag` of the resource to change. */
  ifMatch?: string | undefined
  signal?: AbortSignal | undefined
  /** The service carries out only one call with this key. */
  idempotencyKey?: string
}

export interface Answer<Value> {
  value: Value
  etag: string | undefined
  /** The query of the next page; undefined on the last one. */
  next: Query | undefined
  /** The id of the audit entry of an action on an animal; undefined if nothing was changed. */
  entryId: bigint | undefined
}

/** Each session has its own token, which is sent with every change. `onEnd` is called when it is over. */
export const session = { csrfToken: undefined as string | undefined, onEnd: () => {} }

/** Called whenever the service responds, or fails to. */
export const contact = { onAnswer: () => {}, onFailure: () => {} }

/** A call without a response for this long has failed. On a network that is gone, browsers would wait for a quarter of an hour. */
const MAX_WAIT_MS = 120_000

/**
 * Calls an operation of the admin API.
 * @param path below /admin/v1
 * @throws ApiError, Unreachable
 */
export async function call<Value>(method: string, path: string, options: CallOptions = {}): Promise<Answer<Value>> {
  const { query = {}, body, ifMatch, idempotencyKey, signal } = options
  const { csrfToken } = session
  // A file takes as long as its upload.
  const limits = body instanceof Blob ? [] : [AbortSignal.timeout(MAX_WAIT_MS)]
  const headers = new Headers()
  if (body !== undefined) headers.set('Content-Type', body instanceof Blob ? body.type : 'application/json')
  if (ifMatch !== undefined) headers.set('If-Match', ifMatch)
  if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey)
  if (csrfToken !== undefined && method !== 'GET') headers.set('X-CSRF-Token', csrfToken)
  const response = await fetch(urlOf(path, query), {
    credentials: 'same-origin',
    cache: 'no-store',
    method,
    headers,
    body: body === undefined ? null : body instanceof Blob ? body : formatJson(body),
    signal: AbortSignal.any(signal ? [...limits, signal] : limits),
  }).catch(unreachable)
  const text = await response.text().catch(unreachable)
  if (isFromGateway(response.status, text)) unreachable(new Error(`HTTP ${response.status}`))
  contact.onAnswer()
  if (!response.ok) throw refusalOf(response, text, csrfToken, Object(body))
  const entryId = response.headers.get('Petstore-Entry-Id')
  return {
    value: (text === '' ? undefined : parseJson(text)) as Value,
    etag: response.headers.get('ETag') ?? undefined,
    next: nextOf(response.headers.get('Link')),
    entryId: entryId ? BigInt(entryId) : undefined,
  }
}

export async function fetchValue<Value>(method: string, path: string, options?: CallOptions): Promise<Value> {
  return (await call<Value>(method, path, options)).value
}

/**
 * The URL of an operation, for links and for calls that the browser makes itself.
 * @throws ApiError if it would contain a secret
 */
export function urlOf(path: string, query: Query = {}): URL {
  const url = new URL(ADMIN_URL + path)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  if (containsSecret(url.href)) {
    throw new ApiError({ code: 'contains_secret', status: 400, message: secretRefusal(url.href) ?? '' })
  }
  return url
}

/** Keeps the reason of a call that was aborted on purpose. */
function unreachable(error: unknown): never {
  if (error instanceof DOMException && error.name === 'AbortError') throw error
  contact.onFailure()
  throw new Unreachable(error)
}

/** Whether a proxy responded because the service did not. */
function isFromGateway(status: number, text: string): boolean {
  return status >= 502 && status <= 504 && !bodyOf(text)
}

/**
 * The error of an unsuccessful response. Ends the session if the response says that it is over.
 * @param csrfToken of the session in which the call was sent: someone may have signed in again since then
 */
export function refusalOf(response: Response, text: string, csrfToken: string | undefined, sent?: object): ApiError {
  const { status, statusText, headers } = response
  const requestId = headers.get('X-Request-Id')
  const body = bodyOf(text) ?? { code: 'unknown', status, message: statusText || `HTTP ${status}` }
  const isSignedOut = body.code === 'invalid_token' || body.code === 'missing_token'
  if (isSignedOut && csrfToken === session.csrfToken) session.onEnd()
  const isFault = body.code === 'internal_error' && requestId !== null
  return new ApiError(isFault ? { ...body, message: `${FAULT} ${requestId}.` } : body, sent)
}

const FAULT =
  'Something went wrong in the service. Try again. If it keeps failing, search the log of the service for the request ID'

/** Undefined for an error page of a proxy. */
function bodyOf(text: string): ErrorBody | undefined {
  try {
    const body = parseJson(text) as ErrorBody
    return typeof body.code === 'string' ? body : undefined
  } catch {
    return undefined
  }
}

function nextOf(link: string | null): Query | undefined {
  const address = link?.match(/<([^>]+)>; rel="next"/)?.[1]
  return address ? Object.fromEntries(new URL(address, ADMIN_URL).searchParams) : undefined
}

/** Parses JSON. The members that are 64-bit integers become bigints, so that none is rounded. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, readExactly)
}

/** JSON text. A bigint becomes an integer, digit for digit. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, writeExactly)
}

function readExactly(name: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  if (typeof value !== 'number') return value
  return INT64_MEMBERS.has(name) || !(Number.isSafeInteger(value) || value % 1 !== 0) ? BigInt(source) : value
}

function writeExactly(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? (JSON as unknown as RawJson).rawJSON(String(value)) : value
}

interface RawJson {
  /** A value that stringify writes verbatim. TypeScript's own types lack it. */
  rawJSON(text: string): unknown
}
