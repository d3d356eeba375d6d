import type { Answer, WholeAnswer } from './answer.ts'
import type { Call } from './call.ts'
import { Refusal } from './refusal.ts'

/** 304 if the client already has this answer (RFC 9110, section 13.1.2); otherwise the answer. */
export function unlessNoneMatch({ request }: Call, etag: string, answer: Answer): Answer {
  return hasMatch(request.headers['if-none-match'], etag) ? notModified(answer) : answer
}

/** Whether the client already has the answer with this tag. @param condition the value of `If-None-Match` */
export function hasMatch(condition: string | undefined, etag: string): boolean {
  if (condition === undefined) return false
  return condition.trim() === '*' || tagsOf(condition).some(tag => tag.replace(/^W\//, '') === etag)
}

/** The 304 for a client that already has this answer. */
export function notModified({ headers }: Answer): WholeAnswer {
  const ofAnyAnswer = headers.filter((_, index) => !/^Content-/.test(headers[index - (index % 2)] as string))
  return { status: 304, headers: ofAnyAnswer, body: '' }
}

/**
 * Allows a change only if its sender has seen the latest state (RFC 9110, section 13.1.1; RFC 6585, section 3).
 * @throws Refusal precondition_required, precondition_failed
 */
export function requireMatch({ request }: Call, etag: string): void {
  if (request.headers['if-match'] === undefined) {
    throw new Refusal('precondition_required', 'Send If-Match with the ETag of the version that you read.')
  }
  refuseMismatch({ request }, etag)
}

/**
 * The same, for a change that may also be sent without `If-Match`.
 * @throws Refusal precondition_failed
 */
export function refuseMismatch({ request }: Pick<Call, 'request'>, etag: string): void {
  const condition = request.headers['if-match']
  if (condition !== undefined && !matchesStrongly(condition, etag)) {
    throw new Refusal('precondition_failed', 'It has changed since you read it; fetch it again.')
  }
}

/** Whether a change applies to any state, with `If-Match: *`. */
export function matchesAnything({ request }: Call): boolean {
  return request.headers['if-match']?.trim() === '*'
}

/** A weak tag only shows that the content is roughly the same, which is not enough for a change. */
function matchesStrongly(condition: string, etag: string): boolean {
  return condition.trim() === '*' || tagsOf(condition).includes(etag)
}

function tagsOf(condition: string): readonly string[] {
  return condition.match(/(?:W\/)?"[^"]*"/g) ?? []
}
