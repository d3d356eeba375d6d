import { QueryClient } from '@tanstack/react-query'
import { session } from '../api/call.ts'
import { ApiError } from '../api/errors.ts'
import { formatJson } from '../api/json.ts'
import { watchConnection } from './connection.ts'
import { endSession } from './session.ts'

/** How long the request and response of a save are kept after its form is closed. */
const SAVED_MS = 1_000

/** The cache of the service's responses. */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        queryKeyHashFn: formatJson,
        staleTime: 5_000,
        // Retrying a refused call is pointless.
        retry: (failures, error) => !(error instanceof ApiError) && failures < 2,
      },
      // A failed save says so immediately, and its form keeps the input. A secret that was sent or received does not stay in memory.
      mutations: { networkMode: 'always', gcTime: SAVED_MS },
    },
  })
  session.onEnd = () => endSession(client)
  watchConnection()
  return client
}
