import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../../src/pages/assets/colours.css'
import './styles/tokens.css'
import './styles/base.css'
import { createQueryClient } from './data/client.ts'
import { App } from './shell/App.tsx'

createRoot(document.getElementById('app') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
)
