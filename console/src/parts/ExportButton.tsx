import { useState } from 'react'
import { lazyOverlay } from '../data/lazy-chunks.tsx'
import { Button } from '../ui/Button.tsx'
import type { ExportFilter } from './ExportDialog.tsx'

const ExportDialog = lazyOverlay(() => import('./ExportDialog.tsx'), 'ExportDialog')

export function ExportButton({ label = 'Export', filter }: { label?: string; filter: ExportFilter }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button icon="export" onClick={() => setIsOpen(true)}>
        {label}
      </Button>
      {isOpen && <ExportDialog onClose={() => setIsOpen(false)} filter={filter} />}
    </>
  )
}
