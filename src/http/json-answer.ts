import type { Answer } from './call.ts'

/** An answer whose body is this JSON text. */
export function jsonAnswer(status: number, body: string, headers: readonly string[]): Answer {
  const bytes = Buffer.byteLength(body)
  return {
    status,
    headers: ['Content-Type', 'application/json', 'Content-Length', String(bytes), ...headers],
    body,
    isAscii: bytes === body.length,
  }
}
