import type { IncomingMessage } from 'node:http'
import { Refusal } from '../domain/errors.ts'
import type { Call } from './call.ts'
import { countHeader } from './headers.ts'

const LARGEST_BODY = 65_536
/** A body that is a little too large is read to its end, so that its sender can read the answer; one that is far too large is not. */
const LARGEST_DISCARDED = 8 * 1_048_576

/** The sender has gone before its body was read: there is no one to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/**
 * Whether the body is JSON in a form that is read here: `application/json`, UTF-8, not compressed.
 * @throws Refusal unsupported_media_type
 */
export function checkMediaType(request: IncomingMessage): void {
  const { headers } = request
  if (!isJsonType(headers['content-type'] ?? '') || countHeader(request, 'content-type') > 1) {
    throw new Refusal('unsupported_media_type', 'The body must be sent as Content-Type: application/json, in UTF-8.')
  }
  if (!/^(?:identity)?$/i.test(headers['content-encoding'] ?? '')) {
    throw new Refusal('unsupported_media_type', 'The body must be sent without a Content-Encoding.')
  }
}

/** Whatever else is said of it, JSON is read here in UTF-8 alone (RFC 9110, section 8.3.1). */
function isJsonType(contentType: string): boolean {
  const [type, ...parameters] = contentType.split(';').map(part => part.trim().toLowerCase())
  const charsets = parameters.filter(parameter => parameter.startsWith('charset'))
  return type === 'application/json' && charsets.every(charset => /^charset=(?:utf-8|"utf-8")$/.test(charset))
}

/**
 * Reads the whole body.
 * @throws Refusal body_too_large
 * @throws ClientGone
 */
export function readBody({ request, response, isAnswered }: Call): Promise<Buffer> {
  // Nothing more would happen to it: the client went away, or sent what cannot be read, while the gates were passed.
  if (request.destroyed || isAnswered) return Promise.reject(new ClientGone())
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > LARGEST_DISCARDED) return Promise.reject(tooLarge())
  if (request.headers.expect !== undefined && request.httpVersion === '1.1') {
    if (declared > LARGEST_BODY) return Promise.reject(tooLarge())
    response.writeContinue()
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= LARGEST_BODY) chunks.push(chunk)
      else if (size > LARGEST_DISCARDED) reject(tooLarge())
    })
    request.on('end', () =>
      size > LARGEST_BODY
        ? reject(tooLarge())
        : resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)),
    )
    request.on('error', () => reject(new ClientGone()))
    request.on('close', () => reject(new ClientGone()))
  })
}

function tooLarge(): Refusal {
  return new Refusal('body_too_large', `The body must be at most ${LARGEST_BODY} bytes long.`)
}
