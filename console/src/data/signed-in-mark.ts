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
