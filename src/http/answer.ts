import type { Readable } from 'node:stream'

/** The answer to a call. */
export interface Answer {
  status: number
  /** name, value, name, value … */
  headers: readonly string[]
  /**
   * A stream is sent at the speed of the client, and destroyed when the client leaves. What can fail should fail before there is an answer:
   * an error of the stream can only cut the answer off.
   */
  body: string | Buffer | Readable
  /** Whether each character of a text body stands for one byte, so that it need not be encoded. */
  isLatin1?: boolean
  /** Its headers, made by `prepareHeaders`, if it is sent many times. */
  prepared?: string
}

/** An answer whose body is there from the start. */
export interface WholeAnswer extends Answer {
  body: string | Buffer
}

/** An answer with JSON text as its body. */
export function jsonAnswer(status: number, body: string, headers: readonly string[]): WholeAnswer {
  const bytes = Buffer.byteLength(body)
  return {
    status,
    headers: ['Content-Type', 'application/json', 'Content-Length', String(bytes), ...headers],
    body,
    isLatin1: bytes === body.length,
  }
}
