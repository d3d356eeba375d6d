import { onlineManager, type Query, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { call, urlOf } from '../api/call.ts'
import { checkConnection } from './connection.ts'

/** The state of what operators see, as texts without meaning: an equal one means that nothing has changed. */
type Versions = Readonly<Record<string, string>>

/** What each version is about, by the beginning of its path. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  animals: ['/pets', '/categories'],
  accounts: ['/accounts', '/keys', '/claim-links', '/bans'],
  audit: ['/audit', '/tokens', '/categories'],
}

/** Partners may change something many times a second: nothing is loaded more often than this. */
const MIN_PAUSE_MS = 2_000
const RETRY_MS = 5_000
/** The pages of a longer list are loaded again only when it is opened again. */
const MAX_PAGES = 5

/** Keeps what is shown fresh, as long as the screens are shown. */
export function useChanges(): void {
  const client = useQueryClient()
  useEffect(() => listenToChanges(client), [client])
}

/**
 * Loads again what others have changed. It only listens while the page can be seen: a browser keeps few connections to one host, and all tabs
 * share them.
 * @returns ends it
 */
function listenToChanges(client: QueryClient): () => void {
  const refresh = buildRefresh(client)
  let source: EventSource | undefined
  let known: Versions | undefined
  let retry: ReturnType<typeof setTimeout> | undefined

  function learn({ data }: MessageEvent<string>): void {
    const versions = JSON.parse(data) as Versions
    const before = known
    known = versions
    if (before) refresh.soon(Object.keys(versions).filter(name => versions[name] !== before[name]))
  }

  function close(): void {
    source?.close()
    source = undefined
    clearTimeout(retry)
  }

  function update(): void {
    close()
    if (document.visibilityState === 'hidden' || !onlineManager.isOnline()) return
    const opened = new EventSource(urlOf('/events'))
    source = opened
    opened.addEventListener('versions', learn)
    opened.addEventListener('error', () => {
      // After a connection that was lost, browsers try again on their own; after a refusal, they do not.
      if (opened.readyState !== EventSource.CLOSED) return void checkConnection()
      // If the session is over, this call notices it and leads to the sign-in.
      void call('GET', '/session').catch(() => {})
      retry = setTimeout(update, RETRY_MS)
    })
  }

  update()
  document.addEventListener('visibilitychange', update)
  const end = onlineManager.subscribe(update)
  return () => {
    document.removeEventListener('visibilitychange', update)
    end()
    close()
    refresh.stop()
  }
}

function buildRefresh(client: QueryClient) {
  const changed = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let last = 0

  function run(): void {
    timer = undefined
    last = Date.now()
    const paths = [...changed].flatMap(name => PATHS[name] ?? [])
    changed.clear()
    const isAbout = ([path]: QueryKey) =>
      paths.some(start => path === start || (typeof path === 'string' && path.startsWith(`${start}/`)))
    void client.invalidateQueries({ predicate: query => isAbout(query.queryKey) && !isLong(query) })
    void client.invalidateQueries({ predicate: query => isAbout(query.queryKey) && isLong(query), refetchType: 'none' })
  }

  return {
    soon(names: readonly string[]): void {
      for (const name of names) changed.add(name)
      if (changed.size > 0) timer ??= setTimeout(run, Math.max(0, last + MIN_PAUSE_MS - Date.now()))
    },
    stop: () => clearTimeout(timer),
  }
}

function isLong({ state: { data } }: Query): boolean {
  const { pages = [] } = (data ?? {}) as { pages?: readonly unknown[] }
  return pages.length > MAX_PAGES
}
