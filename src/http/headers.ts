import type { IncomingMessage } from 'node:http'

/** How often a header stands in the request: Node keeps only the first of some, and joins others. */
export function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] as string
    if (candidate.length === name.length && candidate.toLowerCase() === name) count++
  }
  return count
}
