import { queryOptions, useMutation } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { call, session } from '../api/call.ts'
import { ApiError } from '../api/errors.ts'
import type { Session } from '../api/schema.ts'
import { recall, remember } from '../lib/preferences.ts'
import { startFresh } from '../lib/start-fresh.ts'
import { sendDeletions } from './deletions.ts'
import { takeLink } from './sign-in-link.ts'

/** The sign-in link that opened the page, until the service has answered. It is taken before the router reads the address. */
let link = takeLink()

/** The signed-in operator, or null. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => readSession(signal),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
})

const CurrentSession = createContext<Session | undefined>(undefined)

/** Gives its children the session. They keep it until they are gone, also while it ends. */
export const SessionProvider = CurrentSession.Provider

export function useSession(): Session {
  const current = useContext(CurrentSession)
  if (!current) throw new Error('Only screens behind the sign-in may ask who is signed in.')
  return current
}

/** Whether the operator may do what needs the role `admin`. The service checks it again. */
export function useIsAdmin(): boolean {
  return useSession().operator.role === 'admin'
}

/** Signs in with a token, or with the secret of a link that works once. */
export async function signIn(credentials: { token: string } | { link: string }): Promise<Session> {
  return begin((await call<Session>('POST', '/session', { body: credentials })).value)
}

/** Nothing of this operator stays for the next one. */
export function useSignOut() {
  return useMutation({ mutationFn: signOut, onSuccess: startFresh })
}

async function signOut(): Promise<void> {
  await sendDeletions()
  await call('DELETE', '/session')
  remember(MARK, undefined)
  session.csrfToken = undefined
}

/** The cookie of the session cannot be read: without this mark there is none, and the service need not be asked. */
const MARK = 'signed-in'

async function readSession(signal: AbortSignal): Promise<Session | null> {
  if (link !== undefined) return signInByLink(link)
  if (recall(MARK) === undefined) return null
  try {
    return begin((await call<Session>('GET', '/session', { signal })).value)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error
    remember(MARK, undefined)
    return null
  }
}

async function signInByLink(secret: string): Promise<Session> {
  try {
    const started = await signIn({ link: secret })
    link = undefined
    return started
  } catch (error) {
    if (error instanceof ApiError) link = undefined
    throw error
  }
}

function begin(started: Session): Session {
  remember(MARK, 'yes')
  session.csrfToken = started.csrfToken ?? undefined
  return started
}
