import { onlineManager, type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query'
import { createContext, useContext, useEffect } from 'react'
import { ApiError, CONSOLE_URL, call, fetchValue, session, Unreachable } from '../api/call.ts'
import type { Operator, Session } from '../api/schema.ts'
import { forgetTab, hasUnsaved, leaveNotice, startFresh } from '../lib/leaving.ts'
import { cleanAddress } from '../lib/secrets.ts'
import { checkConnection, setObstacle } from './connection.ts'
import { cacheKey } from './query-keys.ts'
import { markSignedIn, markSignedOut, onOtherTab, requestSession, wasSignedIn } from './signed-in.ts'

/**
 * Removes the secret of a sign-in link from the URL, so that neither the browser history nor a bookmark keeps it. It is in the fragment, which
 * browsers do not send. Links have no screen of their own.
 */
function takeLink(): string | undefined {
  if (!location.pathname.endsWith('/console/sign-in')) return undefined
  const secret = location.hash.slice(1)
  history.replaceState(history.state, '', CONSOLE_URL)
  return secret === '' ? undefined : secret
}

/** The sign-in link that opened the page, until the service has responded. It is taken before the router reads the URL. */
let link = takeLink()

/** A secret that was in the address of the page. */
const removed = cleanAddress(CONSOLE_URL)
if (removed) leaveNotice(`The address of this page contained ${removed}. It was removed from the address.`)

const RETRY_MS = 2_000

/** An ended session is kept until someone signs in: meanwhile, its operator's work stays on the page. */
interface KnownSession extends Session {
  hasEnded?: true
}

/** The signed-in operator, or null. */
export const sessionQuery = queryOptions({
  queryKey: cacheKey('/session'),
  queryFn: async ({ client, signal }) => takeOver(client, await readSession(signal)),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
  networkMode: 'always',
  // During an outage, someone else may have signed in.
  refetchOnReconnect: 'always',
  refetchInterval: ({ state }) => state.error instanceof Unreachable && onlineManager.isOnline() && RETRY_MS,
})

const CurrentSession = createContext<Session | undefined>(undefined)

/** Provides the session to its children. They keep it until they unmount, even while it ends. */
export const SessionProvider = CurrentSession.Provider

export function useSession(): Session {
  const current = useContext(CurrentSession)
  if (!current) throw new Error('Only screens behind the sign-in may ask who is signed in.')
  return current
}

/** Whether the operator has the role `admin`. The service checks it again. */
export function useIsAdmin(): boolean {
  return useSession().operator.role === 'admin'
}

/** Starts a session, with a token or with the secret of a link that works once. Other tabs notice it. */
async function start(credentials: { token: string } | { link: string }): Promise<Session> {
  const started = await fetchValue<Session>('POST', '/session', { body: credentials })
  markSignedIn()
  return started
}

export async function signIn(client: QueryClient, token: string): Promise<void> {
  const started = await start({ token })
  client.setQueryData(sessionQuery.queryKey, takeOver(client, started))
}

/** The session from now on. The work on the page is only for its own operator: for anyone else, the page starts fresh. */
function takeOver(client: QueryClient, next: Session | null): KnownSession | null {
  const before = client.getQueryData(sessionQuery.queryKey)
  if (!next) {
    endSession(client)
    return client.getQueryData(sessionQuery.queryKey) ?? null
  }
  if (before && !isSameOperator(before.operator, next.operator)) {
    const lost = hasUnsaved('tab') ? ` The unsaved changes of ${before.operator.name} were discarded.` : ''
    startFresh(`You are signed in as ${next.operator.name}.${lost}`)
    return before
  }
  session.csrfToken = next.csrfToken ?? undefined
  setObstacle('signed out', false)
  return next
}

/** Keeps the page unchanged, and sends no requests until someone signs in. */
export function endSession(client: QueryClient): void {
  const before = client.getQueryData(sessionQuery.queryKey)
  if (!before || before.hasEnded) return
  session.csrfToken = undefined
  setObstacle('signed out', true)
  void client.cancelQueries()
  const ended: KnownSession = { ...before, hasEnded: true }
  client.setQueryData(sessionQuery.queryKey, ended)
}

/** All tabs share the session. */
export function useOtherTabs(): void {
  const client = useQueryClient()
  useEffect(
    () =>
      onOtherTab(async isSignedIn => {
        if (isSignedIn) {
          await checkConnection()
          await client.refetchQueries({ queryKey: sessionQuery.queryKey })
        } else if (hasUnsaved('tab')) endSession(client)
        else if (client.getQueryData(sessionQuery.queryKey)) startFresh()
      }),
    [client],
  )
}

export async function signOut(): Promise<void> {
  // Background requests of the page would only be refused.
  setObstacle('signed out', true)
  await call('DELETE', '/session').catch(error => {
    if (isSignedOut(error)) return
    setObstacle('signed out', false)
    throw error
  })
  markSignedOut()
}

/** Names count too, because an operator whose token was revoked gets another one with the same name. */
function isSameOperator(one: Operator, other: Operator): boolean {
  return one.role === other.role && (one.tokenId === other.tokenId || one.name === other.name)
}

async function readSession(signal: AbortSignal): Promise<Session | null> {
  const found = link === undefined ? await findSession(signal) : null
  // Someone else may sign in next.
  if (!found) forgetTab()
  return link === undefined ? found : signInByLink(link)
}

async function findSession(signal: AbortSignal): Promise<Session | null> {
  if (!wasSignedIn()) return null
  return requestSession(signal).catch(error => {
    if (!isSignedOut(error)) throw error
    markSignedOut()
    return null
  })
}

export function isSignedOut(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 401
}

async function signInByLink(secret: string): Promise<Session> {
  try {
    const started = await start({ link: secret })
    link = undefined
    return started
  } catch (error) {
    if (error instanceof ApiError) link = undefined
    throw error
  }
}
