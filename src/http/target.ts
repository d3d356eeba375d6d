import type { IncomingMessage } from 'node:http'
import { MAX_TARGET_BYTES } from '../schema/limits.ts'
import { Refusal } from './refusal.ts'
import { countHeader } from './request-headers.ts'

export interface Target {
  /** With unreserved characters decoded, so that equivalent paths are equal. Compared exactly, including dots. */
  path: string
  /** As sent, without the question mark; empty if there is none. */
  query: string
}

/** The characters of a host and a port (RFC 3986, section 3.2.2). */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/

/** What comes before the path in a target in absolute form: the scheme, and the host with its port. */
const ORIGIN = /^https?:\/\/([^/?#]+)(?=\/)/i

/**
 * Reads the target of a request. A host in it replaces the `Host` header (RFC 9112, section 3.2.2). Refuses what Node's parser accepts and HTTP
 * forbids (RFC 9110, 9112).
 * @throws Refusal malformed_request, expectation_failed, uri_too_long
 */
export function readTarget(request: IncomingMessage): Target {
  const { headers, httpVersion, method, url = '' } = request
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    throw new Refusal('malformed_request', 'The request must be HTTP/1.1.')
  }
  const hosts = countHeader(request, 'host')
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1') || !HOST.test(headers.host ?? '')) {
    throw new Refusal('malformed_request', 'The request must have exactly one valid Host header.')
  }
  const { 'transfer-encoding': coding } = headers
  if (coding !== undefined && httpVersion === '1.0') {
    // The end of such a request cannot be known (RFC 9112, section 6.1).
    throw new Refusal('malformed_request', 'A request with Transfer-Encoding must be HTTP/1.1.')
  }
  if (coding !== undefined && !/^chunked$/i.test(coding)) {
    throw new Refusal('malformed_request', 'Transfer-Encoding must be chunked.')
  }
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
    throw new Refusal('expectation_failed')
  }
  if (url === '*' && method !== 'OPTIONS') {
    throw new Refusal('malformed_request', 'Only OPTIONS may have the request target *.')
  }
  if (url.length > MAX_TARGET_BYTES) throw new Refusal('uri_too_long')
  const [origin, host] = ORIGIN.exec(url) ?? []
  if (origin === undefined) return parseTarget(url)
  headers.host = host
  return parseTarget(url.slice(origin.length))
}

/** Splits a request target in origin form, or `*` (RFC 9112, section 3.2). */
function parseTarget(local: string): Target {
  if (!(local.startsWith('/') || local === '*')) malformed('The request target must be a path, such as /v1/pets.')
  if (local.includes('#')) malformed('The request target must not have a fragment.')
  const mark = local.indexOf('?')
  const path = mark < 0 ? local : local.slice(0, mark)
  const query = mark < 0 ? '' : local.slice(mark + 1)
  if (NOT_IN_PATHS.test(path)) malformed('The path contains a character that must be percent-encoded.')
  const isEscaped = path.includes('%')
  if (isEscaped && BAD_ESCAPE.test(path)) malformed('"%" in the path must be followed by two hexadecimal digits.')
  if (NOT_IN_QUERIES.test(query)) malformed('The query contains a character that must be percent-encoded.')
  return { path: isEscaped ? decodeUnreserved(path) : path, query }
}

/** Characters that a path must not contain (RFC 3986, section 3.3). */
const NOT_IN_PATHS = /[^\x21-\x7e]|["<>\\^`{|}]/
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/
/**
 * Characters that browsers percent-encode in a query (WHATWG URL, "query percent-encode set"). They send all other ASCII characters
 * unchanged, even an invalid escape.
 */
const NOT_IN_QUERIES = /[^\x21-\x7e]|["<>]/

/**
 * Decodes only unreserved characters, which mean the same when decoded (RFC 3986, sections 2.3 and 6.2.2.2): `%2F` is not a
 * slash. Decodes in one pass, so that `%2570` does not change.
 */
function decodeUnreserved(path: string): string {
  return path.replaceAll(/%([0-9A-F]{2})/gi, (encoded, hex) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16))
    return /[\w.~-]/.test(character) ? character : encoded
  })
}

function malformed(message: string): never {
  throw new Refusal('malformed_request', message)
}
