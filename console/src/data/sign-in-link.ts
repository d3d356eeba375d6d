import { CONSOLE_URL } from '../api/call.ts'

/**
 * Takes the secret of a sign-in link out of the address, so that neither the history of the browser nor a bookmark keeps it. It is in the
 * fragment, which browsers send nowhere. The page of links has no screen of its own.
 */
export function takeLink(): string | undefined {
  if (!location.pathname.endsWith('/console/sign-in')) return undefined
  const secret = location.hash.slice(1)
  history.replaceState(history.state, '', CONSOLE_URL)
  return secret === '' ? undefined : secret
}
