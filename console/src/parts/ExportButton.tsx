import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import { ExportDialog, type ExportFilter } from './ExportDialog.tsx'

/** Exports the animals that a list shows. */
export function ExportButton({ label = 'Export', filter }: { label?: string; filter: ExportFilter }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>
        <Icon name="export" />
        {label}
      </Button>
      <ExportDialog isOpen={isOpen} onClose={() => setIsOpen(false)} filter={filter} />
    </>
  )
}
