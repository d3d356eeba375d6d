import type { QueryClient } from '@tanstack/react-query'

/** Fetches again what is shown of these resources, such as `/accounts`, and forgets the rest of them. */
export function changed(client: QueryClient, ...resources: readonly string[]): Promise<void> {
  return client.invalidateQueries({
    predicate({ queryKey: [path] }) {
      return resources.some(resource => path === resource || String(path).startsWith(`${resource}/`))
    },
  })
}
