import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError, formatJson, session } from './api/call.ts'
import { watchConnection } from './data/connection.ts'
import { endSession } from './data/session.ts'
import { App } from './shell/App.tsx'

/** How long the request and response of a save are kept after its form is closed. */
const SAVED_MS = 1_000

function createQueryClient(): QueryClient {
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
  // A dialog must know that its action is running before the next key is pressed.
  notifyManager.setScheduler(queueMicrotask)
  session.onEnd = () => endSession(client)
  watchConnection()
  return client
}

createRoot(document.getElementById('app') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
)
