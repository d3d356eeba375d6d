import { fetchValue } from '../api/call.ts'
import type { Session } from '../api/schema.ts'
import { wasSignedIn } from './signed-in-mark.ts'

/** Who is signed in: the page asks while it loads the code that shows it. A sign-in link, with a secret after the #, starts another session. */
let first = wasSignedIn() && location.hash === '' ? request() : undefined
first?.catch(() => {})

/** The session. The first call takes the answer that the page has already asked for. */
export function requestSession(signal: AbortSignal | undefined): Promise<Session> {
  const asked = first ?? request(signal)
  first = undefined
  return asked
}

function request(signal?: AbortSignal): Promise<Session> {
  return fetchValue('GET', '/session', { signal })
}
