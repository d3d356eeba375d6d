import type { QueryClient } from '@tanstack/react-query'
import type { Resource } from './query-keys.ts'

/** Refetches the data of these resources that is on screen, and marks the rest as stale. */
export function refresh(client: QueryClient, ...resources: readonly Resource[]): void {
  void client.invalidateQueries({ predicate: ({ queryKey: [resource] }) => resources.includes(resource) })
}
