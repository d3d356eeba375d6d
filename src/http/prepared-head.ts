import type { ServerResponse } from 'node:http'
import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import { STATUS_CODES, validateHeaderName, validateHeaderValue } from './node-http.ts'

/**
 * Headers as the lines that are sent. Checks them once for all the answers that they are sent with.
 * @param headers name, value, name, value …
 * @throws TypeError if a header would not stay in its line
 */
export function prepareHeaders(headers: readonly string[]): string {
  for (let index = 0; index < headers.length; index += 2) {
    validateHeaderName(headers[index] as string)
    validateHeaderValue(headers[index] as string, headers[index + 1] as string)
  }
  // One flat text: V8 would otherwise put it together again for each answer.
  return Buffer.from(linesOf(headers), 'latin1').toString('latin1')
}

/** Prepares an answer that is given more than once. */
export function prepareAnswer<Given extends Answer>(answer: Given): Given {
  return { ...answer, prepared: prepareHeaders(answer.headers) }
}

const prepared = new WeakMap<readonly string[], string>()

/** The same for headers that never change, such as those of a path: they are prepared the first time. */
export function prepareOnce(headers: readonly string[]): string {
  return prepared.getOrInsertComputed(headers, prepareHeaders)
}

/** Whether the head of an answer has no more rules than `writePreparedHead` knows: nothing ends the connection. */
export function allowsPreparedHead({ request, response }: Call): boolean {
  return response.shouldKeepAlive && request.httpVersion === '1.1' && request.headers.expect === undefined
}

/**
 * The fast way out (decision 0059): writes the head of an answer as one text, where `writeHead` checks each header, and looks for those
 * that it adds. The answer must have a `Content-Length`, unless it has no content.
 * @param lines all headers
 * @param keepAlive made by `keepAliveLines`
 */
export function writePreparedHead(response: ServerResponse, status: number, lines: string, keepAlive: string): void {
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}Date: ${currentDate()}\r\n${keepAlive}\r\n`
  response.statusCode = status
  // Where `writeHead` leaves its text. Node has no public name for it.
  ;(response as ServerResponse & { _header?: string })._header = head
}

/** What Node's server adds to an answer that leaves its connection open. */
export function keepAliveLines(timeoutMs: number): string {
  return `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(timeoutMs / 1_000)}\r\n`
}

/** Headers that cannot leave their lines. */
export function linesOf(headers: readonly string[]): string {
  let lines = ''
  for (let index = 0; index < headers.length; index += 2) lines += `${headers[index]}: ${headers[index + 1]}\r\n`
  return lines
}

let date = ''
let dateSecond = 0

/** The value of `Date`, made once a second. */
function currentDate(): string {
  const now = Date.now()
  const second = Math.floor(now / 1_000)
  if (second !== dateSecond) {
    date = new Date(now).toUTCString()
    dateSecond = second
  }
  return date
}
