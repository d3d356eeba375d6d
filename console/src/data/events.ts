import { onlineManager, type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { call, urlOf } from '../api/call.ts'
import { checkConnection } from './connection.ts'
import { isLong } from './query.ts'
import type { Resource } from './query-keys.ts'

/** Opaque versions of the data that operators see: an equal version means that nothing has changed. */
type Versions = Readonly<Record<string, string>>

/** What each version covers. */
const RESOURCES: Readonly<Record<string, readonly Resource[]>> = {
  animals: ['pets', 'categories'],
  accounts: ['accounts', 'keys', 'claim-links', 'bans'],
  audit: ['audit', 'tokens', 'categories', 'sources'],
}

/** Partners may make many changes per second: after a response, nothing is refetched for this long. */
const MIN_PAUSE_MS = 2_000
const RETRY_MS = 5_000

/** Keeps the data on screen fresh while the screens are mounted. */
export function useChanges(): void {
  const client = useQueryClient()
  useEffect(() => listenToChanges(client), [client])
}

/**
 * Reloads data that others have changed. It only listens while the page is visible: browsers limit the connections to one host, and all tabs share
 * them.
 * @returns a function that stops it */
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
      // Browsers reconnect automatically after a lost connection, but not after a refusal.
      if (opened.readyState !== EventSource.CLOSED) return void checkConnection()
      // If the session is over, this call notices it and shows the sign-in form.
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

/** Refetches changed data. It first waits for requests in flight: otherwise, a slow service would never complete one. */
function buildRefresh(client: QueryClient) {
  /** The names of versions. */
  const changed = new Set<string>()
  let last = Promise.resolve()
  let isPlanned = false
  let isOver = false

  async function run(): Promise<void> {
    isPlanned = false
    const resources = [...changed].flatMap(name => RESOURCES[name] ?? [])
    const isAbout = ({ queryKey: [resource] }: Query) => resources.includes(resource)
    changed.clear()
    // A response in flight may be older than the change.
    const inFlight = client.getQueryCache().findAll({ predicate: isAbout })
    await Promise.allSettled(inFlight.map(query => query.promise))
    if (isOver) return
    // A long list is read again when it is next opened.
    void client.invalidateQueries({ predicate: query => isAbout(query) && isLong(query), refetchType: 'none' })
    await client.invalidateQueries({ predicate: query => isAbout(query) && !isLong(query) })
    await new Promise(resolve => setTimeout(resolve, MIN_PAUSE_MS))
  }

  return {
    soon(names: readonly string[]): void {
      for (const name of names) changed.add(name)
      if (changed.size === 0 || isPlanned) return
      isPlanned = true
      last = last.then(run)
    },
    stop(): void {
      isOver = true
    },
  }
}
