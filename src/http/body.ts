import type { IncomingMessage } from 'node:http'
import { parseJson } from '../schema/json.ts'
import { MAX_BODY_BYTES } from '../schema/limits.ts'
import type { Call } from './call.ts'
import { Refusal } from './refusal.ts'
import { countHeader } from './request-headers.ts'

/** A body that is too large is still read up to this size, so that its sender can read the answer. */
const MAX_DISCARDED_BYTES = 8 * 1_048_576

interface JsonObject {
  members: Readonly<Record<string, unknown>>
  /** The body as it was sent. */
  bytes: Buffer
}

/**
 * Reads a body that must be a JSON object.
 * @throws Refusal unsupported_media_type, body_too_large, invalid_json, invalid_body
 * @throws ClientGone
 */
export async function readJsonObject(call: Call): Promise<JsonObject> {
  requireContentType(call.request, isJson)
  const bytes = await readBody(call)
  const members = parseJson(bytes)
  if (members === null || typeof members !== 'object' || Array.isArray(members)) {
    throw new Refusal('invalid_body', 'The body must be a JSON object.')
  }
  return { members, bytes }
}

/**
 * Reads the body of an HTML form, to its end, and ignores it.
 * @throws Refusal unsupported_media_type, body_too_large
 * @throws ClientGone
 */
export async function readForm(call: Call): Promise<void> {
  requireContentType(call.request, ({ type }) => type === FORM, `The form must be sent as Content-Type: ${FORM}.`)
  await readBody(call)
}

/** The client disconnected before its body was read. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

export interface ContentType {
  /** In lower case and without parameters. */
  type: string
  /** In lower case. */
  charset: string | undefined
}

/**
 * Reads the type of a body, which must not be compressed.
 * @param message says what the type must be
 * @throws Refusal unsupported_media_type
 */
export function requireContentType(
  request: IncomingMessage,
  isAccepted: (contentType: ContentType) => boolean,
  message?: string,
): ContentType {
  const { 'content-type': header = '', 'content-encoding': coding = '' } = request.headers
  const contentType = parseContentType(header)
  if (!contentType || !isAccepted(contentType) || countHeader(request, 'content-type') > 1) {
    throw new Refusal('unsupported_media_type', message)
  }
  if (/^(?:identity)?$/i.test(coding)) return contentType
  throw new Refusal('unsupported_media_type', 'The body must be sent without a Content-Encoding.')
}

function isJson({ type, charset = 'utf-8' }: ContentType): boolean {
  return type === 'application/json' && charset === 'utf-8'
}

/** Parameters other than `charset` are ignored (RFC 9110, section 8.3.1). Undefined if that is malformed, or has several values. */
function parseContentType(header: string): ContentType | undefined {
  const [type = '', ...parameters] = header.split(';').map(part => part.trim().toLowerCase())
  const charsets = parameters
    .filter(parameter => parameter.startsWith('charset'))
    .map(parameter => /^charset=(?:"([^"]+)"|([^"]+))$/.exec(parameter))
  const [charset, ...others] = new Set(charsets.map(found => found?.[1] ?? found?.[2] ?? ''))
  return charset === '' || others.length > 0 ? undefined : { type, charset }
}

const FORM = 'application/x-www-form-urlencoded'

/**
 * Reads the whole body.
 * @throws Refusal body_too_large
 * @throws ClientGone
 */
export function readBody({ request, response, isAnswered }: Call): Promise<Buffer> {
  // No event would follow: the client disconnected or sent something invalid while the call passed the gates.
  if ((request.destroyed && !request.readableEnded) || isAnswered) return Promise.reject(new ClientGone())
  // Nor for a request without a body, which has ended from the start.
  if (request.readableEnded) return Promise.resolve(Buffer.alloc(0))
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > MAX_DISCARDED_BYTES) return Promise.reject(new Refusal('body_too_large'))
  if (request.headers.expect !== undefined && request.httpVersion === '1.1') {
    if (declared > MAX_BODY_BYTES) return Promise.reject(new Refusal('body_too_large'))
    response.writeContinue()
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_BODY_BYTES) chunks.push(chunk)
      else if (size > MAX_DISCARDED_BYTES) reject(new Refusal('body_too_large'))
    })
    request.on('end', () =>
      size > MAX_BODY_BYTES
        ? reject(new Refusal('body_too_large'))
        : resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)),
    )
    request.on('error', () => reject(new ClientGone()))
    // Every request emits this event; an error with a stack is created only for one that has not ended.
    request.on('close', () => request.readableEnded || reject(new ClientGone()))
  })
}
