import type { ServerResponse } from 'node:http'
import type { Call } from './call.ts'
import { flat } from './header-lines.ts'
import { STATUS_CODES } from './node-http.ts'

/** Whether `writePreparedHead` can write the head of an answer: nothing may end the connection. */
export function allowsPreparedHead({ request, response }: Call): boolean {
  return response.shouldKeepAlive && request.httpVersion === '1.1' && request.headers.expect === undefined
}

/**
 * The fast path (decision 0006): writes the head of an answer as one string. `writeHead` would check each header, and search for those that
 * it adds. The answer must have a `Content-Length`, unless it has no content.
 * @param lines all headers
 * @param end made by `buildHeadEnd`
 */
export function writePreparedHead(response: ServerResponse, status: number, lines: string, end: string): void {
  response.statusCode = status
  // Where `writeHead` stores its text. Node has no public name for it.
  ;(response as ServerResponse & { _header?: string })._header =
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}${end}`
}

/** What Node's server adds to an answer that keeps its connection open. Rebuilt once per second. */
export function buildHeadEnd(keepAliveMs: number): () => string {
  const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1_000)}`
  let end = ''
  let madeIn = 0
  return () => {
    const now = Date.now()
    const second = Math.floor(now / 1_000)
    if (second !== madeIn) {
      end = flat(`Date: ${new Date(now).toUTCString()}\r\n${keepAlive}\r\n\r\n`)
      madeIn = second
    }
    return end
  }
}
