import type { QueryClient } from '@tanstack/react-query'

/** Refetches the resources below these paths, such as `/accounts`, that are on screen, and marks the others as stale. */
export function changed(client: QueryClient, ...resources: readonly string[]): Promise<void> {
  return client.invalidateQueries({
    predicate({ queryKey: [path] }) {
      return resources.some(resource => path === resource || String(path).startsWith(`${resource}/`))
    },
  })
}
