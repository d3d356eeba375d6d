import { Refusal } from '../domain/errors.ts'

/** What a request line asks for. Nothing in it is decoded: paths are compared as they stand. */
export interface Target {
  path: string
  /** Without the question mark; empty when there is none. */
  query: string
}

const LONGEST_TARGET = 8_192

/**
 * Splits a request target (RFC 9112, section 3.2: origin form, absolute form, or `*`).
 * @throws Refusal uri_too_long, malformed_request
 */
export function parseTarget(text: string): Target {
  if (text.length > LONGEST_TARGET) {
    throw new Refusal('uri_too_long', `The request target must be at most ${LONGEST_TARGET} bytes long.`)
  }
  const local = text.startsWith('/') || text === '*' ? text : text.replace(/^https?:\/\/[^/?#]+(?=\/)/i, '')
  const mark = local.indexOf('?')
  const path = mark < 0 ? local : local.slice(0, mark)
  if (!(local.startsWith('/') || local === '*') || /[^\x21-\x7e]|[#"<>\\^`{|}]/.test(local) || hasBadEscape(path)) {
    throw new Refusal(
      'malformed_request',
      'The request target must be a path such as /v1/pets, correctly percent-encoded.',
    )
  }
  return { path, query: mark < 0 ? '' : local.slice(mark + 1) }
}

/** Whether a key is needed to call this path. */
export function isUnderVersion(path: string): boolean {
  return path === '/v1' || path.startsWith('/v1/')
}

function hasBadEscape(path: string): boolean {
  return path.includes('%') && /%(?![0-9A-Fa-f]{2})/.test(path)
}
