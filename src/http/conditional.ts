import { hash } from 'node:crypto'
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

function matches(condition: string, etag: string): boolean {
  return condition.trim() === '*' || condition.match(/"[^"]*"/g)?.some(listed => listed === etag) === true
}

function withoutContent(headers: readonly string[]): string[] {
  return headers.filter((_, index) => !/^Content-/.test(headers[index - (index % 2)] as string))
}
