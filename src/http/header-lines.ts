import { validateHeaderName, validateHeaderValue } from './node-http.ts'

/** Headers as the lines to send, each with its line end. Lines that many answers share are assembled only once. */

/**
 * Returns headers as lines.
 * @param headers name, value, name, value …
 * @throws TypeError if a header contains a line break or another invalid character
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

/** The same, for lines that are sent many times. */
export function preparedLinesOf(headers: readonly string[]): string {
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

/** Flattens a string. V8 would otherwise assemble it from its parts for each answer. */
export function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}
