/** The answer to a call. */
export interface Answer {
  status: number
  /** name, value, name, value … */
  headers: readonly string[]
  body: string | Buffer
  /** Whether a text body has as many bytes as characters, so that it need not be encoded. */
  isAscii?: boolean
}

/** An answer with JSON text as its body. */
export function jsonAnswer(status: number, body: string, headers: readonly string[]): Answer {
  const bytes = Buffer.byteLength(body)
  return {
    status,
    headers: ['Content-Type', 'application/json', 'Content-Length', String(bytes), ...headers],
    body,
    isAscii: bytes === body.length,
  }
}
