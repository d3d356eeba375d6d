import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { Refusal } from '../domain/errors.ts'

/** What Node's HTTP parser reports, as far as it matters here. */
export interface ParserError extends NodeJS.ErrnoException {
  /** The bytes in which the parser stopped. */
  rawPacket?: Buffer
}

/** How long a sender that is cut off may still read its answer. */
const LINGER_MS = 1_000

/** What the parser's own errors are in the words of the contract. */
export function refusalOfParserError({ code, rawPacket }: ParserError): Refusal {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal('request_timeout', 'The request did not arrive completely in time.')
    case 'HPE_HEADER_OVERFLOW':
      return isRequestLine(rawPacket)
        ? new Refusal('uri_too_long', 'The request target is too long.')
        : new Refusal('headers_too_large', 'The header section is too large.')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Refusal('body_too_large', 'The chunk extensions of the body are too large.')
    default:
      return new Refusal('malformed_request', 'These bytes are no HTTP/1.1 request.')
  }
}

/** Answers on a connection on which nothing can be answered the usual way, and ends it. */
export function endWith(socket: Socket, status: number, headers: readonly string[], body: string | Buffer): void {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, `Date: ${new Date().toUTCString()}`, 'Connection: close']
  for (let index = 0; index < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`)
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
  linger(socket)
}

/** Lets a sender that goes on sending read the answer after which Node closes the connection. */
export function lingerAfterAnswer(socket: Socket): void {
  socket.destroySoon = () => linger(socket)
}

/** Ends a connection whose sender may go on sending: to close it with bytes unread would reset it, and the answer with it. */
function linger(socket: Socket): void {
  socket.end()
  socket.resume()
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

function isRequestLine(packet: Buffer | undefined): boolean {
  return packet !== undefined && /^[A-Z]+ /.test(packet.toString('latin1', 0, 32)) && !packet.includes('\n')
}
