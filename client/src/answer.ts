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
export function unexpected({ status, headers }: Answer, cause?: unknown): ServiceError {
  const requestId = headers.get('x-request-id') ?? undefined
  return new ServiceError(NOT_OURS, { code: UNEXPECTED, status, requestId, cause })
}

const UNEXPECTED = 'unexpected_answer'
const NOT_OURS = 'The answer is not one of a Petstore.'

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

/** The error that an answer other than a success is for the caller. */
export function errorOf(answer: Answer): PetstoreError {
  const { status, headers, receivedAt } = answer
  const refusal = refusalOf(answer)
  const { code, message } = refusal ?? { code: UNEXPECTED, message: NOT_OURS }
  const details = { code, status, requestId: headers.get('x-request-id') ?? undefined }
  if (status === 429) {
    const retryAt = new Date(receivedAt + (retryAfterOf(answer) ?? 0))
    const RefusalError = code === 'api_key_banned' ? BannedError : RateLimitError
    return new RefusalError(message, { ...details, retryAt })
  }
  if (status >= 500 || !refusal) return new ServiceError(message, details)
  return new (CLASSES[status] ?? InvalidRequestError)(message, details)
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
