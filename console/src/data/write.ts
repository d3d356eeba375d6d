import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { fetchValue, formatJson, isUndecided } from '../api/call.ts'
import { MAX_REFETCHED_PAGES, type Pages } from './query.ts'
import { cacheKey, type Path, type Resource } from './query-keys.ts'

/** Brings the cache up to date. The value is undefined if the write was refused, or its outcome is unknown. */
type Upkeep<Value> = (client: QueryClient, value: Value | undefined) => void

/** Reads again what a write about partners or operators may have changed. */
function refreshPartners(client: QueryClient): void {
  refresh(client, ['accounts', 'audit', 'bans', 'claim-links', 'keys', 'tokens'])
}

/** The same for animals. A long list is cut to its first pages. */
export function refreshAnimals(client: QueryClient): void {
  for (const path of ['/pets', '/pets/deleted'] as const) {
    client.setQueriesData<Pages<unknown>>(
      { queryKey: cacheKey(path, 'pages') },
      data =>
        data && {
          pages: data.pages.slice(0, MAX_REFETCHED_PAGES),
          pageParams: data.pageParams.slice(0, MAX_REFETCHED_PAGES),
        },
    )
  }
  refresh(client, ['audit', 'categories', 'pets', 'sources'])
}

/** Refetches the data of these resources that is on screen, and marks the rest as stale. */
export function refresh(client: QueryClient, resources: readonly Resource[]): void {
  void client.invalidateQueries({ predicate: ({ queryKey: [resource] }) => resources.includes(resource) })
}

/**
 * A write. Only the service decides whether it succeeded: the upkeep of the cache neither delays nor fails it. The cache is brought up to date even
 * after a refusal: someone else may have been faster.
 * @param mutationKey to find the writes in flight
 */
export function useWrite<Value, Wanted = void>(
  send: (wanted: Wanted) => Promise<Value>,
  upkeep: Upkeep<Value> = refreshPartners,
  mutationKey?: readonly string[],
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: send,
    ...(mutationKey && { mutationKey }),
    onSettled: value => {
      try {
        upkeep(client, value)
      } catch (error) {
        reportError(error)
        void client.invalidateQueries()
      }
    },
  })
}

/**
 * A POST that creates something. While its outcome is unknown, pressing the button again with the same input repeats the same attempt, so that
 * nothing is created twice.
 * @param requestOf gets the time at which the button was first pressed, in Unix milliseconds
 */
export function useCreate<Value, Wanted>(
  requestOf: (wanted: Wanted, at: number) => [path: Path, body: unknown],
  upkeep?: Upkeep<Value>,
) {
  const [undecided] = useState(() => new Map<string, { idempotencyKey: string; at: number }>())
  return useWrite(async (wanted: Wanted) => {
    const input = formatJson(wanted)
    const attempt = undecided.get(input) ?? { idempotencyKey: randomUuid(), at: Date.now() }
    const { idempotencyKey, at } = attempt
    undecided.set(input, attempt)
    try {
      const [path, body] = requestOf(wanted, at)
      const value = await fetchValue<Value>('POST', path, { body, idempotencyKey })
      undecided.delete(input)
      return value
    } catch (error) {
      if (!isUndecided(error)) undecided.delete(input)
      throw error
    }
  }, upkeep)
}

/** A random UUID. Pages without HTTPS have no `crypto.randomUUID`. */
export function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  // RFC 9562: version 4 and the variant.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const digits = Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
