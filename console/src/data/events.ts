import { onlineManager, type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
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

/** Partners may change something many times a second: after the service has answered, nothing is asked again for this long. */
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

/** Asks again for what has changed. It waits for the last answers first: a service that is slow to answer would never get to the end of one. */
function buildRefresh(client: QueryClient) {
  const changed = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isUnderWay = false
  let lastAnswer = 0
  let isOver = false

  function plan(): void {
    if (isOver || isUnderWay || changed.size === 0) return
    timer ??= setTimeout(run, Math.max(0, lastAnswer + MIN_PAUSE_MS - Date.now()))
  }

  async function run(): Promise<void> {
    timer = undefined
    isUnderWay = true
    const isAbout = aboutAny(changed)
    changed.clear()
    // An answer that is on its way may be older than the change.
    await Promise.allSettled(
      client
        .getQueryCache()
        .findAll({ predicate: isAbout })
        .map(query => query.promise),
    )
    if (!isOver) await refetch(client, isAbout)
    isUnderWay = false
    lastAnswer = Date.now()
    plan()
  }

  return {
    soon(names: readonly string[]): void {
      for (const name of names) changed.add(name)
      plan()
    },
    stop(): void {
      isOver = true
      clearTimeout(timer)
    },
  }
}

async function refetch(client: QueryClient, isAbout: (query: Query) => boolean): Promise<void> {
  void client.invalidateQueries({ predicate: query => isAbout(query) && isLong(query), refetchType: 'none' })
  await client.invalidateQueries({ predicate: query => isAbout(query) && !isLong(query) })
}

/** @param names of versions */
function aboutAny(names: Iterable<string>): (query: Query) => boolean {
  const paths = [...names].flatMap(name => PATHS[name] ?? [])
  return ({ queryKey: [path] }) =>
    paths.some(start => path === start || (typeof path === 'string' && path.startsWith(`${start}/`)))
}

function isLong({ state: { data } }: Query): boolean {
  const { pages = [] } = (data ?? {}) as { pages?: readonly unknown[] }
  return pages.length > MAX_PAGES
}
