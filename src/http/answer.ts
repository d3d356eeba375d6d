import type { Readable } from 'node:stream'
import { flat, linesOf, preparedLinesOf } from './header-lines.ts'

export interface Answer {
  status: number
  /** name, value, name, value … */
  headers: readonly string[]
  /**
   * A stream is sent at the speed of the client, and destroyed when the client disconnects. Whatever can fail should fail before the answer
   * exists: an error in the stream can only cut the answer off.
   */
  body: string | Buffer | Readable
  /** Whether every character of a text body is one byte, so that it need not be encoded. */
  isLatin1?: boolean
  /** Its headers as lines. An answer with lines and content must have a `Content-Length`. */
  lines?: string
}

/** An answer whose body is complete from the start. */
export interface WholeAnswer extends Answer {
  body: string | Buffer
}

export function jsonAnswer(status: number, body: string, headers: readonly string[]): WholeAnswer {
  const bytes = Buffer.byteLength(body)
  return {
    status,
    headers: [...JSON_TYPE, 'Content-Length', String(bytes), ...headers],
    body,
    isLatin1: bytes === body.length,
    lines: `${JSON_START}${bytes}\r\n${linesOf(headers)}`,
  }
}

const JSON_TYPE = ['Content-Type', 'application/json']
const JSON_START = flat(`${linesOf(JSON_TYPE)}Content-Length: `)

/** Prepares an answer that is sent more than once. */
export function preparedAnswer<Given extends WholeAnswer>(answer: Given): Given {
  return { ...answer, lines: preparedLinesOf(answer.headers) }
}
