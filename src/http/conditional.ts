import { hash } from 'node:crypto'
import { Refusal } from '../domain/errors.ts'
import type { Answer, Call } from './call.ts'

/** A strong validator: the same only for the same content. */
export function etagOf(content: string): string {
  return `"${hash('sha256', content, 'base64url').slice(0, 27)}"`
}

/** 304 where the client has this answer already (RFC 9110, section 13.1.2), else the answer. */
export function unlessNoneMatch({ request }: Call, etag: string, answer: Answer): Answer {
  const condition = request.headers['if-none-match']
  if (condition === undefined || !matches(condition, etag)) return answer
  return { status: 304, headers: withoutContent(answer.headers), body: '' }
}

/**
 * Lets a change pass only if its sender has seen the latest state (RFC 9110, section 13.1.1; RFC 6585, section 3).
 * @throws Refusal precondition_required, precondition_failed
 */
export function requireMatch({ request }: Call, etag: string): void {
  const condition = request.headers['if-match']
  if (condition === undefined) {
    throw new Refusal('precondition_required', 'A change needs If-Match with the ETag of what you saw.')
  }
  if (!matchesStrongly(condition, etag)) {
    throw new Refusal('precondition_failed', 'This is not as you saw it any more; look at it again.')
  }
}

function matches(condition: string, etag: string): boolean {
  return condition.trim() === '*' || tagsOf(condition).some(tag => tag.replace(/^W\//, '') === etag)
}

/** Whether a change is wanted whatever the state is, as long as there is one. */
export function matchesAnything({ request }: Call): boolean {
  return request.headers['if-match']?.trim() === '*'
}

/** A weak tag says only that what was seen is much the same, which is not enough to change it. */
function matchesStrongly(condition: string, etag: string): boolean {
  return condition.trim() === '*' || tagsOf(condition).includes(etag)
}

function tagsOf(condition: string): readonly string[] {
  return condition.match(/(?:W\/)?"[^"]*"/g) ?? []
}

function withoutContent(headers: readonly string[]): string[] {
  return headers.filter((_, index) => !/^Content-/.test(headers[index - (index % 2)] as string))
}
