import { QueryClient } from '@tanstack/react-query'
import { session } from '../api/call.ts'
import { ApiError } from '../api/errors.ts'
import { formatJson } from '../api/json.ts'
import { watchConnection } from './connection.ts'
import { endSession } from './session.ts'

/** How long what a save sent and received is kept after its form is closed. */
const SAVED_MS = 1_000

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
      // A save that fails says so at once, and its form keeps what was entered. A secret that was sent or received does not stay in memory.
      mutations: { networkMode: 'always', gcTime: SAVED_MS },
    },
  })
  session.onEnd = () => endSession(client)
  watchConnection()
  return client
}
