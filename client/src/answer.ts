import {
  ApiKeyError,
  BannedError,
  InvalidRequestError,
  NotFoundError,
  type PetstoreError,
  RateLimitError,
  ServiceError,
  TimeoutError,
} from './errors.ts'
import { member, parseJson } from './json.ts'

/** What the service has answered. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  /** By the calendar of this machine: Unix milliseconds. */
  receivedAt: number
  /** What the service, or else the client, calls the request. */
  requestId: string
}

/** The JSON of an answer, its numbers as texts. */
export function bodyOf(answer: Answer): unknown {
  try {
    return parseJson(answer.text)
  } catch (cause) {
    throw unexpected(answer, cause)
  }
}

/** An answer that the service does not give: something else stands at this address, or on the way there. */
export function unexpected(answer: Answer, cause?: unknown): ServiceError {
  const { status, requestId } = answer
  // A browser does not tell the status of what leads elsewhere.
  const isRedirect = status === 0 || (status >= 300 && status < 400 && status !== NOT_MODIFIED)
  const message = isRedirect
    ? 'The answer leads to another address, which is not followed: is baseUrl that of a Petstore?'
    : 'The answer is not one of a Petstore.'
  return new ServiceError(message, { code: 'unexpected_answer', status, requestId, retryAt: retryAtOf(answer), cause })
}

const NOT_MODIFIED = 304

/** How long an answer says to wait, in milliseconds; undefined if it does not say so (RFC 9110, 10.2.3: seconds, or a date). */
export function retryAfterOf({ headers, receivedAt }: Answer): number | undefined {
  const text = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text), LONGEST_WAIT_SECONDS) * 1_000
  const date = dateIn(text)
  if (date === undefined) return undefined
  const now = dateIn(headers.get('date') ?? '') ?? receivedAt
  return Math.min(Math.max(0, date - now), LONGEST_WAIT_SECONDS * 1_000)
}

/** A hundred years: of what is longer no date could be made. */
const LONGEST_WAIT_SECONDS = 100 * 365 * 24 * 60 * 60

/** Unix milliseconds; undefined for what is no date of HTTP. */
function dateIn(text: string): number | undefined {
  return /^[A-Z][a-z]{2}, .* GMT$/.test(text) ? Date.parse(text) || undefined : undefined
}

function retryAtOf(answer: Answer): Date | undefined {
  const told = retryAfterOf(answer)
  return told === undefined ? undefined : new Date(answer.receivedAt + told)
}

/** The error that an answer other than a success is for the caller. */
export function errorOf(answer: Answer): PetstoreError {
  const { status, requestId } = answer
  if (status === 429) return limitErrorOf(answer)
  const refusal = refusalOf(answer)
  if (!refusal || status >= 500) return serviceErrorOf(answer)
  const { code, message } = refusal
  const Kind = code === 'idempotency_in_progress' ? TimeoutError : (CLASSES[status] ?? InvalidRequestError)
  return new Kind(message, { code, status, requestId })
}

/** Of a 429. */
export function limitErrorOf(answer: Answer): RateLimitError | BannedError {
  const { status, requestId, receivedAt } = answer
  const { code, message } = refusalOf(answer) ?? unexpected(answer)
  const details = { code, status, requestId, retryAt: retryAtOf(answer) ?? new Date(receivedAt) }
  return code === 'api_key_banned' ? new BannedError(message, details) : new RateLimitError(message, details)
}

export function serviceErrorOf(answer: Answer): ServiceError {
  const { status, requestId } = answer
  const refusal = refusalOf(answer)
  if (!refusal) return unexpected(answer)
  return new ServiceError(refusal.message, { code: refusal.code, status, requestId, retryAt: retryAtOf(answer) })
}

const CLASSES: Readonly<Record<number, typeof PetstoreError>> = {
  401: ApiKeyError,
  404: NotFoundError,
  408: TimeoutError,
}

function refusalOf({ text }: Answer): { code: string; message: string } | undefined {
  try {
    const body = parseJson(text)
    const code = member(body, 'code')
    const message = member(body, 'message')
    return typeof code === 'string' && typeof message === 'string' ? { code, message } : undefined
  } catch {
    return undefined
  }
}
