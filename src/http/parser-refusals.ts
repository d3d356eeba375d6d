import { Refusal } from './refusal.ts'

export interface ParserError extends NodeJS.ErrnoException {
  /** The bytes that the parser was reading when it stopped. */
  rawPacket?: Buffer
  /** How many of them it has read. */
  bytesParsed?: number
  /** Why it stopped, in its own words. */
  reason?: string
}

export function refusalOfParserError(error: ParserError): Refusal {
  const { code, reason = '' } = error
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal('request_timeout')
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal(isInRequestLine(error) ? 'uri_too_long' : 'headers_too_large')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Refusal('body_too_large', 'The chunk extensions of the body are too large.')
    case 'HPE_INVALID_EOF_STATE':
      return new Refusal('malformed_request', 'The request ended before it was complete.')
    default:
      return new Refusal('malformed_request', `The request is not valid HTTP/1.1${headerFault(reason)}.`)
  }
}

/** Whether the parser stopped in a request line: no header has a space behind its name. Not known of a line that began in an earlier packet. */
function isInRequestLine({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  const parsed = rawPacket?.toString('latin1', 0, bytesParsed) ?? ''
  return /^[A-Z-]+ (?:\/|http)/.test(parsed.slice(parsed.lastIndexOf('\n') + 1))
}

/** A line end in a value is often pasted together with a key. */
function headerFault(reason: string): string {
  if (reason.endsWith(' after header value')) return ': a header value contains a line end'
  return reason === 'Invalid header value char' ? ': a header value contains a control character' : ''
}
