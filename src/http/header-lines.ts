import { validateHeaderName, validateHeaderValue } from './node-http.ts'

/** Headers as the lines that are sent, each with its end: what is the same for many answers is put together once. */

/**
 * The lines of headers.
 * @param headers name, value, name, value …
 * @throws TypeError if a header would not stay in its line
 */
export function linesOf(headers: readonly string[]): string {
  let lines = ''
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string
    const value = headers[index + 1] as string
    validateHeaderName(name)
    validateHeaderValue(name, value)
    lines += `${name}: ${value}\r\n`
  }
  return lines
}

/** The same for lines that are sent many times. */
export function keptLinesOf(headers: readonly string[]): string {
  return flat(linesOf(headers))
}

/** The headers of such lines, as name, value, name, value … */
export function headersIn(lines: string): string[] {
  const headers = lines.split('\r\n').slice(0, -1)
  return headers.flatMap(line => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 2)]
  })
}

/** The same text in one piece. V8 would otherwise put it together from its parts for each answer. */
export function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}
