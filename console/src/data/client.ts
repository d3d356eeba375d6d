import { QueryClient } from '@tanstack/react-query'
import { session } from '../api/call.ts'
import { ApiError } from '../api/errors.ts'
import { formatJson } from '../api/json.ts'

/** The cache of all that the service has answered. */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        queryKeyHashFn: formatJson,
        staleTime: 5_000,
        // What the service refuses, it refuses again.
        retry: (failures, error) => !(error instanceof ApiError) && failures < 2,
      },
    },
  })
  // The session is over: every screen is behind the sign-in, and nothing of the last operator stays.
  session.onEnd = () => {
    if (!client.getQueryData(['session'])) return
    session.csrfToken = undefined
    void client.cancelQueries()
    client.setQueryData(['session'], null)
  }
  return client
}
