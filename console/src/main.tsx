import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../../src/docs/assets/colours.css'
import './styles/tokens.css'
import './styles/base.css'
import { createQueryClient } from './data/client.ts'
import { createConsoleRouter } from './routes.tsx'

const queryClient = createQueryClient()
const router = createConsoleRouter(queryClient)

createRoot(document.getElementById('app') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
