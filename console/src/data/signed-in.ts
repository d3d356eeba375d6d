import { fetchValue } from '../api/call.ts'
import type { Session } from '../api/schema.ts'
import { onRemembered, recall, remember } from '../lib/preferences.ts'

/**
 * Scripts cannot read the session cookie. If this mark is missing, there is no session and no need to ask the service. It changes with each sign-in.
 */
const MARK = 'signed-in'

/** Whether someone has signed in with this browser, and not signed out. Their session may have ended since. */
export function wasSignedIn(): boolean {
  return recall(MARK) !== undefined
}

export function markSignedIn(): void {
  remember(MARK, String(Date.now()))
}

export function markSignedOut(): void {
  remember(MARK, undefined)
}

/**
 * Reports that someone has signed in or out in another tab.
 * @returns ends it
 */
export function onOtherTab(listener: (isSignedIn: boolean) => void): () => void {
  return onRemembered(MARK, mark => listener(mark !== undefined))
}

/** Who is signed in: the page asks while it loads the code that shows it. A sign-in link, with a secret after the #, starts another session. */
let first = wasSignedIn() && location.hash === '' ? request() : undefined
first?.catch(() => {})

/** The session. The first call takes the answer that the page has already asked for. */
export function requestSession(signal: AbortSignal): Promise<Session> {
  const asked = first ?? request(signal)
  first = undefined
  return asked
}

function request(signal?: AbortSignal): Promise<Session> {
  return fetchValue('GET', '/session', { signal })
}
