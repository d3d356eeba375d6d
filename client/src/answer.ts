import {
  ApiKeyError,
  BannedError,
  InvalidRequestError,
  NotFoundError,
  type PetstoreError,
  RateLimitError,
  ScopeError,
  ServiceError,
  TimeoutError,
} from './errors.ts'
import { member, parseJson } from './json.ts'

/** A response of the service. */
export interface Answer {
  /** The base address that was called. */
  baseUrl: string
  status: number
  headers: Headers
  text: string
  /** Unix milliseconds, by this machine's wall clock. */
  receivedAt: number
  /** How long it may hold back calls at most: the client's setting. */
  maxWaitMs: number
  /** The service's id of the request, or else the one that the client sent. */
  requestId: string
}

/** The outcome of a request. */
export type Outcome = { answer: Answer; error?: undefined } | { answer?: Answer; error: PetstoreError }

/** The JSON of an answer, with numbers as strings. */
export function bodyOf(answer: Answer): unknown {
  try {
    return parseJson(answer.text)
  } catch (cause) {
    throw unexpected(answer, cause)
  }
}

/** The error for an answer that is not a success. */
export function errorOf(answer: Answer): PetstoreError {
  const { status, requestId, receivedAt } = answer
  const refusal = refusalOf(answer)
  if (status === 429) {
    const { code, message } = refusal ?? unexpected(answer)
    const details = { code, status, requestId, retryAt: new Date(receivedAt), ...waitAskedBy(answer) }
    return code === 'api_key_banned' ? new BannedError(message, details) : new RateLimitError(message, details)
  }
  if (!refusal) return unexpected(answer)
  const { code, message } = refusal
  if (status >= 500)
    return new ServiceError(message, { code, status, requestId, retryAt: undefined, ...waitAskedBy(answer) })
  if (code === 'route_not_found') return new NotFoundError(`${message} ${hintOf(answer)}`, { code, status, requestId })
  const Kind = CLASSES_BY_CODE.get(code) ?? CLASSES_BY_STATUS[status] ?? InvalidRequestError
  return new Kind(message, { code, status, requestId })
}

/** Codes whose class differs from the one for their status. */
const CLASSES_BY_CODE = new Map<string, typeof PetstoreError>([
  ['idempotency_in_progress', TimeoutError],
  ['insufficient_scope', ScopeError],
])

const CLASSES_BY_STATUS: Readonly<Record<number, typeof PetstoreError>> = {
  401: ApiKeyError,
  404: NotFoundError,
  408: TimeoutError,
}

/** The error for an answer that does not come from the service: another server has answered. */
export function unexpected(answer: Answer, cause?: unknown): ServiceError {
  const { status, requestId, headers } = answer
  // A browser hides the status of a redirect, and its target.
  const isRedirect = status === 0 || (status >= 300 && status < 400 && status !== NOT_MODIFIED)
  const target = printable(headers.get('location') ?? '') || 'another address'
  const message = isRedirect
    ? `The response redirects to ${target}, which the client does not follow.`
    : 'The response does not come from a Petstore.'
  const hint = status < 500 ? ` ${hintOf(answer)}` : ''
  const details = { code: 'unexpected_answer', status, requestId, cause, retryAt: undefined, ...waitAskedBy(answer) }
  return new ServiceError(message + hint, details)
}

const NOT_MODIFIED = 304

/** For an address at which there is no Petstore. */
function hintOf({ baseUrl }: Answer): string {
  const { origin, pathname } = new URL(baseUrl)
  const likely = `${origin}${pathname.replace(/\/(?:v\d+(?:\/.*)?|docs)?$/i, '')}/v1`
  return likely === baseUrl ? `Check baseUrl: ${baseUrl}.` : `baseUrl is ${baseUrl}; did you mean ${likely}?`
}

/** Milliseconds of `Retry-After`, given as seconds or as a date (RFC 9110, 10.2.3); undefined without a valid header. */
export function retryAfterOf({ headers, receivedAt }: Answer): number | undefined {
  const text = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text), MAX_RETRY_AFTER_SECONDS) * 1_000
  const date = parseDate(text)
  if (date === undefined) return undefined
  const now = parseDate(headers.get('date') ?? '') ?? receivedAt
  return Math.min(Math.max(0, date - now), MAX_RETRY_AFTER_SECONDS * 1_000)
}

/** Milliseconds of `Retry-After`, bounded so that one false answer does not hold back calls for years; undefined without a valid header. */
export function believedRetryAfter(answer: Answer): number | undefined {
  const retryAfterMs = retryAfterOf(answer)
  const maxMs = hasLimitHeaders(answer) ? answer.maxWaitMs : Math.min(answer.maxWaitMs, MAX_WAIT_FOR_OTHERS_MS)
  return retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, maxMs)
}

/** An answer without the service's headers may come from a proxy or a captive portal, which knows little about the service. */
const MAX_WAIT_FOR_OTHERS_MS = 120_000

/** A hundred years. A much longer time would not fit into a date. */
const MAX_RETRY_AFTER_SECONDS = 100 * 365 * 24 * 60 * 60

/** Unix milliseconds; undefined if the text is not an HTTP date. */
function parseDate(text: string): number | undefined {
  return /^[A-Z][a-z]{2}, .* GMT$/.test(text) ? Date.parse(text) || undefined : undefined
}

/**
 * Whether it has the headers of every answer of the service. An answer without them comes from a proxy, a captive portal or another server.
 */
function hasLimitHeaders({ headers }: Answer): boolean {
  return LIMIT_HEADERS.every(name => /^\d+$/.test(headers.get(name) ?? ''))
}

const LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

function waitAskedBy(answer: Answer): { retryAt: Date; retryAfterMs: number | undefined } | undefined {
  const believedMs = believedRetryAfter(answer)
  if (believedMs === undefined) return undefined
  return { retryAfterMs: retryAfterOf(answer), retryAt: new Date(answer.receivedAt + believedMs) }
}

function refusalOf({ text }: Answer): { code: string; message: string } | undefined {
  try {
    const body = parseJson(text)
    const code = member(body, 'code')
    const message = member(body, 'message')
    if (typeof code !== 'string' || typeof message !== 'string') return undefined
    return { code: printable(code), message: printable(message) }
  } catch {
    return undefined
  }
}

/** Text from an untrusted server, without characters that control a terminal or the writing direction, or that cannot be printed. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
}
