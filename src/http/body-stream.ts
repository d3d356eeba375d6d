import type { IncomingMessage } from 'node:http'
import { afterSilence } from '../domain/silence.ts'
import { bytes as formatBytes } from '../schema/limits.ts'
import { ClientGone, type ContentType, requireContentType } from './body.ts'
import type { Call } from './call.ts'
import { connectionOf } from './connection.ts'
import { Refusal } from './refusal.ts'

export interface BodyStream extends ContentType {
  /**
   * Its chunks, at the speed of the reader. The client must send something every 20 seconds, and 1 KiB per second on average; there is no
   * limit on the total time. Throws Refusal body_too_large or request_timeout, and ClientGone.
   */
  chunks: AsyncIterable<Buffer>
}

/** Slower uploads could block others for days. */
const MIN_BYTES_PER_S = 1_024
const RATE_WINDOW_MS = 60_000

/**
 * Opens a body of one of these media types.
 * @param maxBytes of the whole body
 * @param rateWindowMs how long the service waits for data before it checks the average rate
 * @throws Refusal unsupported_media_type, body_too_large
 */
export function openBodyStream(
  call: Call,
  types: readonly string[],
  maxBytes: number,
  rateWindowMs = RATE_WINDOW_MS,
): BodyStream {
  const { request, response } = call
  const wanted = `The body must be sent as Content-Type: ${types.join(' or ')}.`
  const contentType = requireContentType(request, ({ type }) => types.includes(type), wanted)
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  call.isBodyStreamed = true
  // Otherwise Node would discard the rest, within its own timeout.
  request.read(0)
  discardRest(call, maxBytes)
  if (request.headers.expect !== undefined && request.httpVersion === '1.1') response.writeContinue()
  return { ...contentType, chunks: readChunks(call, maxBytes, rateWindowMs) }
}

async function* readChunks(
  { request, isAnswered }: Call,
  maxBytes: number,
  rateWindowMs: number,
): AsyncIterable<Buffer> {
  if (isAnswered) throw new ClientGone()
  const { bodyStallTimeoutMs } = connectionOf(request.socket)
  let size = 0
  // Only time spent waiting for the client counts: a slow reader is not its fault.
  let window = { bytes: 0, waitedMs: 0 }
  for (;;) {
    const chunk: Buffer | null = request.read()
    if (chunk) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      window.bytes += chunk.length
      if (window.waitedMs >= rateWindowMs) {
        if (window.bytes * 1_000 < MIN_BYTES_PER_S * window.waitedMs) throw new Refusal('request_timeout')
        window = { bytes: 0, waitedMs: 0 }
      }
      yield chunk
    } else if (request.readableEnded) return
    else {
      const startedAt = performance.now()
      await arrivalOf(request, bodyStallTimeoutMs)
      window.waitedMs += performance.now() - startedAt
    }
  }
}

/** Resolves when there is more to read, or the body has ended. */
function arrivalOf(request: IncomingMessage, stallTimeoutMs: number): Promise<void> {
  // No event would follow: the client disconnected while the last chunk was being processed.
  if (request.destroyed) return Promise.reject(new ClientGone())
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const gone = () => reject(new ClientGone())
  const arrived = afterSilence(stallTimeoutMs, () => reject(new Refusal('request_timeout')))
  request.once('readable', resolve).once('end', resolve).once('error', gone).once('close', gone)
  return promise.finally(() => {
    arrived()
    request.off('readable', resolve).off('end', resolve).off('error', gone).off('close', gone)
  })
}

/** Reads and discards the rest of the body after the answer, for clients that send the whole body before they read the answer. */
function discardRest({ request, response }: Call, maxBytes: number): void {
  response.once('finish', () => {
    // If the answer is the last one, its connection is already ending.
    if (request.complete || !response.shouldKeepAlive) return
    const connection = connectionOf(request.socket)
    const awaitMore = () => afterSilence(connection.bodyStallTimeoutMs, () => connection.end())
    let arrived = awaitMore()
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      arrived()
      if (size > maxBytes) connection.end()
      else arrived = awaitMore()
    })
    const forget = () => {
      arrived()
      request.socket.off('close', forget)
    }
    request.once('end', forget)
    request.socket.once('close', forget)
  })
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal('body_too_large', `The body must be at most ${formatBytes(maxBytes)} long.`)
}
