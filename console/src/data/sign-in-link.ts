import { CONSOLE_URL } from '../api/call.ts'

/**
 * Removes the secret of a sign-in link from the URL, so that neither the browser history nor a bookmark keeps it. It is in the fragment, which
 * browsers do not send. Links have no screen of their own.
 */
export function takeLink(): string | undefined {
  if (!location.pathname.endsWith('/console/sign-in')) return undefined
  const secret = location.hash.slice(1)
  history.replaceState(history.state, '', CONSOLE_URL)
  return secret === '' ? undefined : secret
}
