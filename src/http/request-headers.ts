import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { SECRET_PREFIX } from '../domain/secret-forms.ts'

/** How often a request has a header. Node keeps only the first of some headers, and joins others. */
export function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] as string
    if (candidate.length === name.length && candidate.toLowerCase() === name) count++
  }
  return count
}

const REQUEST_ID = new RegExp(`^(?!.*${SECRET_PREFIX})[A-Za-z0-9._~:/+=@-]{1,128}$`)

/** Keeps a valid id from the client, so that its log and ours can be correlated; otherwise creates one. Our own secrets are not valid ids. */
export function requestIdOf(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID()
}
