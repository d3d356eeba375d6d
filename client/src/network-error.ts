import { NetworkError, type PetstoreError, TimeoutError } from './errors.ts'

/** A request without a complete response. */
interface Unanswered {
  baseUrl: string
  requestId: string
  /** The error that the platform reported. */
  cause: unknown
  /** Whether the whole call has run out of time. */
  isTimeOver: boolean
  /** Whether anything has ever answered at this address. */
  isReached: boolean
}

/** The error for a request without a complete response. */
export function errorWithoutResponse({ baseUrl, requestId, cause, isTimeOver, isReached }: Unanswered): PetstoreError {
  if (isTimeOver) {
    return new TimeoutError('The call timed out. It may have been carried out.', { code: 'timeout', requestId, cause })
  }
  const message = isReached
    ? `No complete response arrived from ${baseUrl}: ${reasonOf(cause)}.`
    : `${baseUrl} could not be reached: ${reasonOf(cause)}. Check baseUrl.${hintForPages(baseUrl)}`
  return new NetworkError(message, { code: 'network_error', requestId, cause })
}

/** A browser does not say why a request has failed. */
function hintForPages(baseUrl: string): string {
  const origin = globalThis.location?.origin
  if (!origin || origin === new URL(baseUrl).origin) return ''
  return ` The service must also allow the origin of this page, ${origin} (PETSTORE_CORS_ORIGINS).`
}

/** Platforms often give the reason only in the cause of an error. There may be several causes, and some have only a code. */
function reasonOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error)
  const causes = error instanceof AggregateError ? error.errors : error.cause === undefined ? [] : [error.cause]
  const reasons = depth < MAX_CAUSE_DEPTH ? causes.map(cause => reasonOf(cause, depth + 1)).filter(Boolean) : []
  if (reasons.length > 0) return [...new Set(reasons)].join(', ')
  const { code } = error as { code?: unknown }
  // OpenSSL messages are a line of numbers, names and files.
  const message = error.message.includes(':error:') ? '' : error.message.replace(/\.\s*$/, '')
  return message || String(code ?? '')
}

const MAX_CAUSE_DEPTH = 5
