import type { Readable } from 'node:stream'
import { flat, keptLinesOf, linesOf } from './header-lines.ts'

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
  /** The lines of its headers. An answer that has them, and content, must say how long it is. */
  lines?: string
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
    headers: [...JSON_TYPE, 'Content-Length', String(bytes), ...headers],
    body,
    isLatin1: bytes === body.length,
    lines: `${JSON_START}${bytes}\r\n${linesOf(headers)}`,
  }
}

const JSON_TYPE = ['Content-Type', 'application/json']
const JSON_START = flat(`${linesOf(JSON_TYPE)}Content-Length: `)

/** Prepares an answer that is given more than once. */
export function keptAnswer<Given extends WholeAnswer>(answer: Given): Given {
  return { ...answer, lines: keptLinesOf(answer.headers) }
}
